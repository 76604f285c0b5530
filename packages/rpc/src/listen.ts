// Events at the caller's end: checked, then given to the listener. A listener that throws harms nobody.
import type { Edge } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import * as v from 'valibot'
import { fieldIssues } from './issues.ts'
import type { Functions } from './peer.ts'

export type AnyListener = (payload: unknown) => unknown

/** An event without a listener is dropped; one that does not fit its schema is dropped and logged. */
export const listenTo = (edge: Edge, listener: (event: string) => AnyListener | undefined, log: Logger): Functions => {
  const functions: Functions = Object.create(null)
  for (const [event, schema] of Object.entries(edge.events)) {
    functions[event] = async (payload) => {
      const listen = listener(event)
      if (listen === undefined) return
      const parsed = v.safeParse(schema, payload)
      if (!parsed.success) return log.error('event refused', { event, errors: fieldIssues(parsed.issues) })
      try {
        await listen(parsed.output)
      } catch (error) {
        log.error('listener failed', { event, error })
      }
    }
  }
  return functions
}
