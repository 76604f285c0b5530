// Counts sandboxes that were stopped by a limit of their group, once for each sandbox and limit.
import type { GroupLimits } from '@gatehouse/contracts'
import type { Exit } from '@gatehouse/engine'
import type { Run } from '../session/run.ts'
import type { Context } from '../state/context.ts'

/** A processor limit stops nothing: it slows a sandbox down. */
export const runnerLimits = ['memoryMiB', 'processes', 'workspaceMiB'] as const satisfies readonly (keyof GroupLimits)[]
export type RunnerLimit = (typeof runnerLimits)[number]

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
