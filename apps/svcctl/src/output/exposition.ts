// Prometheus text exposition as data.

import * as v from 'valibot'

const Sample = v.strictObject({
  name: v.string(),
  labels: v.record(v.string(), v.string()),
  /** `NaN` and infinities have no JSON, so they stay text. */
  value: v.union([v.number(), v.string()]),
})
export type Sample = v.InferOutput<typeof Sample>

export const FamilySchema = v.strictObject({ name: v.string(), help: v.string(), type: v.string(), samples: v.array(Sample) })
export type Family = v.InferOutput<typeof FamilySchema>

const unescape = (text: string): string => text.replace(/\\(\\|"|n)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped))

const parseLabels = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, unescape(value)]),
  )

const parseSample = (line: string): Sample | undefined => {
  const match = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line)
  if (match === null) return undefined
  const [, name = '', labels = '', text = ''] = match
  const value = Number(text)
  return { name, labels: parseLabels(labels), value: Number.isFinite(value) ? value : text }
}

/** `x_bucket`, `x_sum` and `x_count` belong to the histogram `x`. */
const belongs = (sample: string, family: string): boolean => sample === family || /^_(bucket|sum|count)$/.test(sample.slice(family.length))

export const parseExposition = (text: string): Family[] => {
  const families: Family[] = []
  const help = new Map<string, string>()
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (keyword === 'HELP') help.set(name, rest)
    if (keyword === 'TYPE') families.push({ name, help: help.get(name) ?? '', type: rest, samples: [] })
    const sample = line.startsWith('#') ? undefined : parseSample(line)
    if (sample === undefined) continue
    const last = families.at(-1)
    if (last !== undefined && sample.name.startsWith(last.name) && belongs(sample.name, last.name)) last.samples.push(sample)
    else families.push({ name: sample.name, help: help.get(sample.name) ?? '', type: 'untyped', samples: [sample] })
  }
  return families
}
