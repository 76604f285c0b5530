// Brings the condition of an applied change to the gateway, however long that takes.
import { setTimeout as pause } from 'node:timers/promises'
import { type Code, type gatewayRunner, isServiceError, limits, type Params } from '@gatehouse/contracts'
import { backoff, type Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'

/** False when it cannot be told: nobody knows the change or the session any more, or the runner stops. Never rejects. */
export type Report = (condition: Params<typeof gatewayRunner, 'condition'>) => Promise<boolean>

export interface ReportOptions {
  readonly gateway: Pick<Calls<typeof gatewayRunner>, 'condition'>
  readonly log: Logger
  readonly closing: AbortSignal
}

/** Saying it again would not help. */
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
          log.warn('condition of a change lost', { ...condition, error })
          return false
        }
        await pause(delays.next(), undefined, { signal: closing }).catch(() => undefined)
      }
    }
    return false
  }
