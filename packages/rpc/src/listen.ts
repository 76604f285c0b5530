// Events at the caller's end: checked, then given to the listener. A listener that throws harms nobody.
import type { Edge } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import * as v from 'valibot'
import { fieldIssues } from './issues.ts'
import type { Functions } from './peer.ts'

export interface ListenOptions {
  readonly edge: Edge
  readonly listeners: object
  readonly log: Logger
}

const isListener = (value: unknown): value is (payload: unknown) => unknown => typeof value === 'function'

/** An event without a listener is dropped; one that is unknown or does not fit its schema is dropped and logged. */
export const listenTo = ({ edge, listeners, log }: ListenOptions): Functions => {
  const events = new Map(Object.entries(edge.events))
  const heard = new Map<string, unknown>(Object.entries(listeners))
  const hear = async (event: string, payload: unknown): Promise<void> => {
    const schema = events.get(event)
    const listen = heard.get(event)
    if (schema === undefined) return log.warn('event refused: it is none of this edge', { event })
    if (!isListener(listen)) return
    const parsed = v.safeParse(schema, payload)
    if (!parsed.success) return log.error('event refused', { event, errors: fieldIssues(parsed.issues) })
    try {
      await listen(parsed.output)
    } catch (error) {
      log.error('listener failed', { event, error })
    }
  }
  return { run: (event, [payload]) => hear(event, payload) }
}
