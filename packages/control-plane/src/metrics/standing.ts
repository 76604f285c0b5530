// What /readyz and the status say of the unit, as gauges, taken when somebody reads the metrics.
import type { Metrics } from '@gatehouse/kernel'
import type { UnitStatus } from '../collect-status.ts'

/** What of the gateway can break by itself; shown at 0 like the processes, so that an alert sees it rise. */
const parts = ['disk', 'catalog']

export const gaugeStanding = (metrics: Metrics, { serves, sandbox, processes, degraded }: UnitStatus): void => {
  metrics.gauge('unit_ready').set(serves ? 1 : 0)
  const broken = metrics.gauge('unit_degraded')
  broken.reset()
  for (const part of [...parts, ...processes.map(({ name }) => name)]) broken.set({ part }, 0)
  for (const part of degraded) broken.set({ part }, 1)
  metrics.gauge('sandbox_refused').set(sandbox.status === 'refused' ? 1 : 0)
  metrics.gauge('sandbox_missing_walls').set(sandbox.status === 'unknown' ? 0 : sandbox.missing.length)
}
