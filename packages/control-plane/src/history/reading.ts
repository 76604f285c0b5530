// The metrics of all processes at one moment, as numbers by series.
import * as v from 'valibot'

/** By process, metric and labels: a process that starts anew begins its counters anew, and only its own. */
export type Reading = ReadonlyMap<string, Series>

export interface Series {
  /** Without `gatehouse_`; a histogram has `_bucket`, `_sum` and `_count`. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** What is used of a registry as prom-client writes it. */
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

/** What cannot be read of a registry is left out: a plot is worth no failure. */
export const toReading = (registries: Readonly<Record<string, unknown>>): Reading => {
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
