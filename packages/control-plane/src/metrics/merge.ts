// Merges the metrics of all processes into one exposition.
import type { ProcessState } from '@gatehouse/contracts'
import { createMetrics, type Metrics } from '@gatehouse/kernel'
import type { CallOptions } from '@gatehouse/rpc'
import { AggregatorRegistry } from 'prom-client'
import type { UnitStatus } from '../collect-status.ts'
import type { Unit } from '../env.ts'

/** Degraded parts of the gateway, which are shown as 0 like the processes, so that alerts detect an increase. */
const parts = ['disk', 'catalog']

const gaugeStanding = (metrics: Metrics, { serves, sandbox, processes, degraded }: UnitStatus): void => {
  metrics.gauge('unit_ready').set(serves ? 1 : 0)
  const broken = metrics.gauge('unit_degraded')
  broken.reset()
  for (const part of [...parts, ...processes.map(({ name }) => name)]) broken.set({ part }, 0)
  for (const part of degraded) broken.set({ part }, 1)
  metrics.gauge('sandbox_refused').set(sandbox.status === 'refused' ? 1 : 0)
  metrics.gauge('sandbox_missing_walls').set(sandbox.status === 'unknown' ? 0 : sandbox.missing.length)
}

export const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Processes whose metrics are 0 while they are down. A 0 for the gateway or the supervisor would be wrong, for example for disk space. */
const owners = ['broker', 'model-proxy', 'runner', 'channels'] as const

/** Whether the process is down or missing. A process that runs but does not respond is not absent: its metrics are unknown. */
const isAbsent = (name: string, processes: readonly ProcessState[]): boolean => {
  const state = processes.find((one) => one.name === name)?.state
  return processes.length > 0 && (state === undefined || state === 'down' || state === 'starting')
}

type Rows = Readonly<Record<string, object[]>>

/** Adds metrics with 0 for processes that are down or not part of this unit. `process_up` distinguishes the two. */
const withAbsent = async (found: Rows, processes: readonly ProcessState[]): Promise<object[][]> => {
  const absent = owners.filter((owner) => found[owner] === undefined && isAbsent(owner, processes))
  return [...Object.values(found), ...(await Promise.all(absent.map((owner) => createMetrics(owner).json())))]
}

const readOthers = async ({ peers, log }: Unit, call: CallOptions): Promise<Rows> => {
  try {
    const { 'control-plane': _own, ...others } = await peers.supervisor.metrics({}, call)
    return others
  } catch (error) {
    log.warn('metrics of the other processes not read', { error })
    return {}
  }
}

export const mergeMetrics = async (unit: Unit, call: CallOptions): Promise<string> => {
  const [survey, others] = await Promise.all([unit.survey(), readOthers(unit, call)])
  gaugeStanding(unit.metrics, survey)
  const [own, shown] = await Promise.all([unit.metrics.json(), withAbsent(others, survey.processes)])
  return AggregatorRegistry.aggregate([own, ...shown]).metrics()
}
