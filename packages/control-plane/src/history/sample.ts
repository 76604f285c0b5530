// What happened between two readings.
import type { StatusSample } from '@gatehouse/contracts'
import { quantileOf } from './quantile.ts'
import type { Reading, Series } from './reading.ts'

const listOf = (reading: Reading, name: string): readonly Series[] => [...reading.values()].filter((series) => series.name === name)

const sum = (list: readonly Series[]): number => list.reduce((total, { value }) => total + value, 0)

/** A counter that is lower than before began anew. */
const growth = (before: Reading, now: Reading): Reading =>
  new Map(
    [...now].map(([key, series]) => {
      const old = before.get(key)?.value ?? 0
      return [key, { ...series, value: series.value < old ? series.value : series.value - old }]
    }),
  )

/** Of calls alone: a list is answered out of memory. */
const latency = (grown: Reading): Pick<StatusSample, 'callP50' | 'callP95'> => {
  const counts = new Map<number, number>()
  for (const { labels, value } of listOf(grown, 'broker_request_duration_seconds_bucket')) {
    if (labels['op'] !== 'call') continue
    const upTo = labels['le'] === '+Inf' ? Infinity : Number(labels['le'])
    counts.set(upTo, (counts.get(upTo) ?? 0) + value)
  }
  const buckets = [...counts].map(([upTo, count]) => ({ upTo, count }))
  const [p50, p95] = [quantileOf(0.5, buckets), quantileOf(0.95, buckets)]
  return { ...(p50 !== undefined && { callP50: p50 * 1_000 }), ...(p95 !== undefined && { callP95: p95 * 1_000 }) }
}

export const toSample = (before: Reading, now: Reading, at: string): StatusSample => {
  const grown = growth(before, now)
  const calls = listOf(grown, 'broker_requests_total')
  return {
    at,
    calls: sum(calls),
    callErrors: sum(calls.filter(({ labels }) => labels['status'] !== 'ok')),
    ...latency(grown),
    modelRequests: sum(listOf(grown, 'model_proxy_request_duration_seconds_count')),
    modelErrors: sum(listOf(grown, 'model_proxy_errors_total')),
    modelTokens: sum(listOf(grown, 'model_proxy_tokens_total')),
    decisions: sum(listOf(grown, 'gateway_decisions_total')),
    held: sum(listOf(now, 'gateway_held_changes')),
    sandboxes: sum(listOf(now, 'sandbox_live')),
  }
}
