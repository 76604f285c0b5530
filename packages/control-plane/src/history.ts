// Keeps the metrics of the last hour in memory: samples all processes at a fixed interval and drops older samples.
import { limits, type StatusHistory, type StatusSample } from '@gatehouse/contracts'
import { type Logger, wallTime } from '@gatehouse/kernel'
import * as v from 'valibot'

/** By process, metric and labels, because a restarted process only resets its own counters. */
type Reading = ReadonlyMap<string, Series>

interface Series {
  /** Without the prefix `gatehouse_`. A histogram has `_bucket`, `_sum` and `_count`. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The part of a prom-client registry that is used. */
const Registry = v.array(
  v.object({
    name: v.string(),
    values: v.array(
      v.object({
        value: v.number(),
        metricName: v.optional(v.string()),
        labels: v.optional(v.record(v.string(), v.union([v.string(), v.number()])), {}),
      }),
    ),
  }),
)

const wanted = new Set([
  'broker_requests_total',
  'broker_request_duration_seconds',
  'model_proxy_request_duration_seconds',
  'model_proxy_errors_total',
  'model_proxy_tokens_total',
  'gateway_decisions_total',
  'gateway_held_changes',
  'sandbox_live',
])
const prefix = /^gatehouse_/

/** Skips metrics that cannot be parsed, because a plot must not cause failures. */
const toReading = (registries: Readonly<Record<string, unknown>>): Reading => {
  const rows = Object.entries(registries).flatMap(([process, registry]) => {
    const parsed = v.safeParse(Registry, registry)
    if (!parsed.success) return []
    return parsed.output
      .filter(({ name }) => wanted.has(name.replace(prefix, '')))
      .flatMap(({ name, values }) =>
        values.map(({ value, metricName = name, labels }): [string, Series] => {
          const text = Object.fromEntries(Object.entries(labels).map(([label, given]) => [label, String(given)]))
          return [`${process} ${metricName} ${JSON.stringify(text)}`, { name: metricName.replace(prefix, ''), labels: text, value }]
        }),
      )
  })
  return new Map(rows)
}

/** Estimates a quantile of a histogram, assuming an even distribution within each bucket. */
export interface Bucket {
  /** Upper bound; infinite for the last. */
  readonly upTo: number
  /** Cumulative count. */
  readonly count: number
}

/** Undefined for an empty histogram. Values beyond the last bound return that bound. */
export const quantileOf = (share: number, buckets: readonly Bucket[]): number | undefined => {
  const sorted = buckets.toSorted((a, b) => a.upTo - b.upTo)
  const all = sorted.at(-1)?.count ?? 0
  if (all === 0) return undefined
  const rank = share * all
  const place = sorted.findIndex(({ count }) => count >= rank)
  const bucket = sorted[place]
  const below = sorted[place - 1] ?? { upTo: 0, count: 0 }
  if (bucket === undefined || bucket.upTo === Infinity) return below.upTo
  return below.upTo + (bucket.upTo - below.upTo) * ((rank - below.count) / Math.max(bucket.count - below.count, 1))
}

/** The difference between two samples. */
const listOf = (reading: Reading, name: string): readonly Series[] => [...reading.values()].filter((series) => series.name === name)

const sum = (list: readonly Series[]): number => list.reduce((total, { value }) => total + value, 0)

/** A counter that is lower than before was reset. */
const growth = (before: Reading, now: Reading): Reading =>
  new Map(
    [...now].map(([key, series]) => {
      const old = before.get(key)?.value ?? 0
      return [key, { ...series, value: series.value < old ? series.value : series.value - old }]
    }),
  )

/** Only calls, because lists are answered from memory. */
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

const toSample = (before: Reading, now: Reading, at: string): StatusSample => {
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

export interface HistoryOptions {
  /** Registries by process. */
  readonly read: () => Promise<Readonly<Record<string, unknown>>>
  readonly log: Logger
  /** Milliseconds. */
  readonly every?: number
  readonly most?: number
}

export interface History {
  shown(): StatusHistory
  /** Takes a sample. A failed one leaves a gap. */
  take(): Promise<void>
  start(): void
  stop(): void
}

export const createHistory = ({ read, log, every = limits.historyEvery, most = limits.historySamples }: HistoryOptions): History => {
  const samples: StatusSample[] = []
  let before: Reading | undefined
  let timer: ReturnType<typeof setInterval> | undefined

  const take = async (): Promise<void> => {
    try {
      const now = toReading(await read())
      // The first sample contains everything since the start of the process.
      if (before !== undefined) samples.push(toSample(before, now, wallTime()))
      samples.splice(0, samples.length - most)
      before = now
    } catch (error) {
      log.debug('metrics of the other processes not read', { error })
    }
  }
  return {
    shown: () => ({ every: every / 1_000, samples: [...samples] }),
    take,
    start: () => {
      void take()
      timer = setInterval(() => void take(), every)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}
