// The metrics of a process. All are registered at start, so that a missing series means a missing process.
import { fineBuckets, metrics as rows, type MetricName, type MetricRow } from '@gatehouse/contracts'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

type NameOf<T extends MetricRow['type']> = { [N in MetricName]: (typeof rows)[N]['type'] extends T ? N : never }[MetricName]
export type MetricLabels = Readonly<Record<string, string | number>>

export interface Metrics {
  counter(name: NameOf<'counter'>): Counter
  gauge(name: NameOf<'gauge'>): Gauge
  histogram(name: NameOf<'histogram'>): Histogram
  /** Exposes this label set at 0 before it is used. */
  touch(name: MetricName, labels: MetricLabels): void
  /** Registers a function that runs before each collection, for values that are counted in bulk. */
  beforeCollect(act: () => void): void
  json(): Promise<Record<string, unknown>[]>
}

const prefix = 'gatehouse_'

const create = (name: string, row: MetricRow, registry: Registry): Counter | Gauge | Histogram => {
  const options = { name: `${prefix}${name}`, help: row.help, labelNames: row.labels, registers: [registry] }
  if (row.type === 'counter') return new Counter(options)
  return row.type === 'gauge' ? new Gauge(options) : new Histogram({ ...options, buckets: [...(row.buckets ?? fineBuckets)] })
}

export const createMetrics = (owner: Exclude<MetricRow['owner'], 'every'>): Metrics => {
  const registry = new Registry()
  const owned = new Map<string, Counter | Gauge | Histogram>()
  const collectors: (() => void)[] = []
  for (const [name, row] of Object.entries<MetricRow>(rows))
    if (row.owner === owner || row.also?.some((also) => also === owner) === true || row.owner === 'every')
      owned.set(name, create(name, row, registry))

  const find = <T>(name: MetricName, type: new (...options: never[]) => T): T => {
    const metric = owned.get(name)
    if (metric instanceof type) return metric
    throw new TypeError(`${name} is not a ${type.name.toLowerCase()} of ${owner}`)
  }
  return {
    counter: (name) => find(name, Counter),
    gauge: (name) => find(name, Gauge),
    histogram: (name) => find(name, Histogram),
    touch: (name, labels) => {
      const metric = owned.get(name)
      if (metric === undefined) throw new TypeError(`${name} is not a metric of ${owner}`)
      if (metric instanceof Histogram) metric.zero(labels)
      else metric.inc(labels, 0)
    },
    beforeCollect: (act) => void collectors.push(act),
    json: async () => {
      for (const act of collectors) act()
      return (await registry.getMetricsAsJSON()).map((metric) => ({ ...metric }))
    },
  }
}
