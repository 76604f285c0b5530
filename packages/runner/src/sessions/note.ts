// Lines for the journal, in the order of what happened. Nothing waits for them, and a lost one is logged.
import type { gatewayRunner, Params } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { Session } from './session.ts'

type Stage = Params<typeof gatewayRunner, 'note'>['stage']

export interface Note {
  (stage: Stage, session: Session, detail: Readonly<Record<string, unknown>>): void
  /** Resolves when all that was said so far has arrived or is lost. */
  settled(): Promise<void>
}

export const createNote = (gateway: Pick<Calls<typeof gatewayRunner>, 'note'>, log: Logger): Note => {
  let last: Promise<unknown> = Promise.resolve()
  const note = (stage: Stage, { id, agentGroupID }: Session, detail: Readonly<Record<string, unknown>>): void => {
    last = last
      .then(() => gateway.note({ stage, agentGroupID, detail: { session: id, ...detail } }))
      .catch((error: unknown) => log.warn('journal line lost', { stage, session: id, error }))
  }
  return Object.assign(note, {
    settled: async () => {
      await last
    },
  })
}
