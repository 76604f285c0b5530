// What the supervisor itself counts: its processes, and the disk of the state directory. Measured when somebody reads.
import { statfs } from 'node:fs/promises'
import type { ProcessState } from '@gatehouse/contracts'
import type { Metrics } from '@gatehouse/kernel'

export interface OwnMetricsOptions {
  readonly metrics: Metrics
  readonly states: readonly ProcessState[]
  readonly stateDir: string
}

export const ownMetrics = async ({ metrics, states, stateDir }: OwnMetricsOptions): Promise<object[]> => {
  const restarts = metrics.counter('process_restarts_total')
  restarts.reset()
  for (const { name, state, restarts: times } of states) {
    metrics.gauge('process_up').set({ process: name }, state === 'ready' ? 1 : 0)
    restarts.inc({ process: name }, times)
  }
  // A directory that is gone has no room.
  const { bavail, blocks, bsize } = await statfs(stateDir).catch(() => ({ bavail: 0, blocks: 0, bsize: 0 }))
  metrics.gauge('state_free_bytes').set(bavail * bsize)
  metrics.gauge('state_size_bytes').set(blocks * bsize)
  return metrics.json()
}
