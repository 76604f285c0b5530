// Which metrics and labels an expression of PromQL names, judged by the table of the code. Not a parser: promtool judges the rest.
import { metrics } from '@gatehouse/contracts'

/** Labels that every series has after the scrape. */
const ofTheScrape = ['job', 'instance']

/** Words that stand where a metric could. */
const words = new Set(['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'group_left', 'group_right', 'bool', 'offset'])

type Known = ReadonlyMap<string, readonly string[]>

/** Every name that a scrape of a unit has, with its labels. */
const scraped: Known = new Map([
  ['up', ofTheScrape],
  ...Object.entries(metrics).flatMap(([name, { type, labels }]): [string, readonly string[]][] => {
    const all = [...labels, ...ofTheScrape]
    if (type !== 'histogram') return [[`gatehouse_${name}`, all]]
    return ['bucket', 'sum', 'count'].map((part) => [`gatehouse_${name}_${part}`, part === 'bucket' ? [...all, 'le'] : all])
  }),
])

/** Every label that a series of this name has, or none where there is no such name. */
export const scrapedLabels = (name: string): readonly string[] => scraped.get(name) ?? []

const listed = (text: string): string[] => text.split(',').flatMap((part) => part.trim() || [])

export const selectors = (expr: string): { name: string; labels: string[] }[] =>
  [...expr.matchAll(/([a-zA-Z_:][\w:]*)\s*\{([^}]*)\}/g)].map(([, name = '', inner = '']) => ({
    name,
    labels: [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }))

const groupings = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, inner = '']) => listed(inner))

/** Functions are followed by a parenthesis, aggregations also by `by`. */
const namesIn = (expr: string): string[] =>
  [
    ...expr
      .replaceAll(/\b(?:by|on|without|ignoring)\s*\([^)]*\)/g, ' by ')
      .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
      .matchAll(/(?<![\w:.])[a-zA-Z_:][\w:]*(?!\s*(?:\(|by\b)|[\w:])/g),
  ]
    .map(([name]) => name)
    .filter((name) => !words.has(name))

/** What of an expression is not in the tables, in words. */
export const faultsOf = (written: string, recorded: Known): string[] => {
  const expr = written.replaceAll(/"[^"]*"/g, '""')
  const labelsOf = (name: string): readonly string[] | undefined => scraped.get(name) ?? recorded.get(name)
  const names = namesIn(expr)
  const known = new Set(names.flatMap((name) => labelsOf(name) ?? []))
  return [
    ...names.filter((name) => labelsOf(name) === undefined).map((name) => `there is no metric ${name}`),
    ...selectors(expr).flatMap(({ name, labels }) =>
      labels.filter((label) => labelsOf(name)?.includes(label) !== true).map((label) => `${name} has no label ${label}`),
    ),
    ...groupings(expr)
      .filter((label) => !known.has(label))
      .map((label) => `no metric of the expression has the label ${label}`),
    ...(names.length === 0 ? ['no metric is named'] : []),
  ]
}

/** Labels that a text about the result of an expression names, and that the result has not. */
export const unknownLabels = (named: readonly string[], written: string, recorded: Known): string[] => {
  const expr = written.replaceAll(/"[^"]*"/g, '""')
  const kept = [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, inner = '']) => listed(inner))
  const left = kept.length > 0 ? kept : namesIn(expr).flatMap((name) => scraped.get(name) ?? recorded.get(name) ?? [])
  return named.filter((label) => !left.includes(label))
}
