// Reports to the gateway: rollout status, retried until delivered, and journal notes in the order of events.
import { setTimeout as pause } from 'node:timers/promises'
import { type Code, type gatewayRunner, isServiceError, limits, type Params } from '@gatehouse/contracts'
import { backoff, type Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { Session } from '../session/session.ts'

/** False when it cannot be told: nobody knows the change or the session any more, or the runner stops. Never rejects. */
export type Report = (condition: Params<typeof gatewayRunner, 'condition'>) => Promise<boolean>

export interface ReportOptions {
  readonly gateway: Pick<Calls<typeof gatewayRunner>, 'condition'>
  readonly log: Logger
  readonly closing: AbortSignal
}

/** A retry would not help. */
const lasting: readonly Code[] = ['not-found', 'invalid', 'forbidden', 'conflict']

export const createReport =
  ({ gateway, log, closing }: ReportOptions): Report =>
  async (condition) => {
    const delays = backoff({ first: limits.restartFirst, most: limits.restartMost })
    while (!closing.aborted) {
      try {
        await gateway.condition(condition)
        return true
      } catch (error) {
        if (isServiceError(error) && lasting.includes(error.code)) {
          log.warn('rollout status of a change lost', { ...condition, error })
          return false
        }
        await pause(delays.next(), undefined, { signal: closing }).catch(() => undefined)
      }
    }
    return false
  }

/** Lines for the journal, in the order of what happened. Nothing waits for them, and a lost one is logged. */
type Stage = Params<typeof gatewayRunner, 'note'>['stage']

export interface Note {
  (stage: Stage, session: Session, detail: Readonly<Record<string, unknown>>): void
  /** Resolves when every record so far was delivered or lost. */
  settled(): Promise<void>
}

export const createNote = (gateway: Pick<Calls<typeof gatewayRunner>, 'note'>, log: Logger): Note => {
  let last: Promise<unknown> = Promise.resolve()
  const note = (stage: Stage, { id, agentGroupID }: Session, detail: Readonly<Record<string, unknown>>): void => {
    last = last
      .then(() => gateway.note({ stage, agentGroupID, detail: { session: id, ...detail } }))
      .catch((error: unknown) => log.warn('journal record lost', { stage, session: id, error }))
  }
  return Object.assign(note, {
    settled: async () => {
      await last
    },
  })
}
