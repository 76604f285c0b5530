// Outcomes of one attempt to run a sandbox, and the limits of a group that ended one.
import { type GroupLimits, isServiceError } from '@gatehouse/contracts'
import type { Exit } from '@gatehouse/engine'
import { LaunchRefused } from '../errors.ts'
import type { Run, StopReason } from '../session/run.ts'
import type { Context } from '../state/context.ts'

export type End =
  /** By the host. */
  | { readonly kind: 'stopped'; readonly why: StopReason }
  /** It ended by itself, with no pending work. */
  | { readonly kind: 'finished' }
  /** The host was not ready, which does not count as a failure of the sandbox. */
  | { readonly kind: 'postponed'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }
  /** A retry would not help. */
  | { readonly kind: 'refused'; readonly reason: string; readonly fix?: string | undefined }
  /** The gateway knows no such session. */
  | { readonly kind: 'gone' }

const passing: readonly string[] = ['unavailable', 'deadline', 'no-sandbox', 'frozen', 'rate-limited']

/** Before anything was started. */
export const endOfPreparation = (error: unknown): End => {
  if (error instanceof LaunchRefused) return { kind: 'refused', reason: error.message, fix: error.fix }
  if (isServiceError(error) && error.code === 'not-found') return { kind: 'gone' }
  const reason = error instanceof Error ? error.message : 'unknown error'
  return isServiceError(error) && passing.includes(error.code) ? { kind: 'postponed', reason } : { kind: 'failed', reason }
}

/** One clause for people. */
export const describeExit = ({ code, signal, reason }: Exit): string => {
  if (reason === 'out-of-memory') return 'it used more memory than it may'
  if (reason === 'out-of-processes') return 'it wanted more processes and threads than it may have'
  return signal === null ? `it exited with code ${code}` : `it was killed by ${signal}`
}

/** A processor limit stops nothing: it slows a sandbox down. */
export const runnerLimits = ['memoryMiB', 'processes', 'workspaceMiB'] as const satisfies readonly (keyof GroupLimits)[]
type RunnerLimit = (typeof runnerLimits)[number]

/** Undefined for an exit that no limit caused. */
export const limitBehind = ({ reason }: Pick<Exit, 'reason'>): RunnerLimit | undefined => {
  if (reason === 'out-of-memory') return 'memoryMiB'
  return reason === 'out-of-processes' ? 'processes' : undefined
}

export const countLimit = ({ metrics }: Pick<Context, 'metrics'>, run: Pick<Run, 'limitsReached'>, limit: RunnerLimit): void => {
  if (run.limitsReached.has(limit)) return
  run.limitsReached.add(limit)
  metrics.counter('group_limit_reached_total').inc({ limit })
}
