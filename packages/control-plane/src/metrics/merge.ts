// The metrics of all processes as one exposition; this process stands in it once.
import type { CallOptions } from '@gatehouse/rpc'
import { AggregatorRegistry } from 'prom-client'
import type { Unit } from '../env.ts'
import { gaugeStanding } from './standing.ts'

export const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** Without the supervisor there are only those of this process. */
const readOthers = async ({ peers, log }: Unit, call: CallOptions): Promise<readonly object[][]> => {
  try {
    const { 'control-plane': _own, ...others } = await peers.supervisor.metrics({}, call)
    return Object.values(others)
  } catch (error) {
    log.warn('metrics of the other processes not read', { error })
    return []
  }
}

export const mergeMetrics = async (unit: Unit, call: CallOptions): Promise<string> => {
  const [survey, others] = await Promise.all([unit.survey(), readOthers(unit, call)])
  gaugeStanding(unit.metrics, survey)
  const own = await unit.metrics.json()
  return AggregatorRegistry.aggregate([own, ...others]).metrics()
}
