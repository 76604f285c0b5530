// Keeps the values of an entry out of what leaves the broker, also as URLs, headers and dumps write them: it stops a leak by accident, not a
// hostile server.
import { mask } from '@gatehouse/contracts'
import { disguisesOf } from './disguises.ts'
import { shortestSecret } from './expand.ts'

export interface Scrub {
  /** Free text. */
  text(text: string): string
  /** A value of JSON; the same one where nothing had to be replaced. `whole` is its JSON when it is at hand. */
  json<T>(value: T, whole?: string): T
}

/** Of one line of a value. */
const shortestLine = 12

const replaceAll = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, mask) : rest), text)

/** Names of the protocol, and of schemas: what they say is no secret, whatever a variable holds. */
const ordinary = new Set(
  'content structuredContent isError error message retryAfter resource mimeType description inputSchema outputSchema annotations'.split(
    ' ',
  ),
)

const replaceName = (name: string, secrets: readonly string[]): string => (ordinary.has(name) ? name : replaceAll(name, secrets))

const replaceIn = (value: unknown, secrets: readonly string[]): unknown => {
  if (typeof value === 'string') return replaceAll(value, secrets)
  if (typeof value === 'number') return secrets.some((secret) => String(value).includes(secret)) ? mask : value
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [replaceName(name, secrets), replaceIn(item, secrets)]))
}

/** Of a value that has several. */
const linesOf = (value: string): string[] =>
  value.includes('\n') ? value.split(/\r?\n/).filter((line) => line.length >= shortestLine) : []

const escape = (text: string): string => JSON.stringify(text).slice(1, -1)

export const createScrub = (values: readonly string[]): Scrub => {
  const long = values.filter((value) => value.length >= shortestSecret).toSorted((a, b) => b.length - a.length)
  // A text may hold JSON that holds the value, or be read line by line.
  const plain = long.flatMap((value) => [value, escape(escape(value)), escape(value), ...linesOf(value)])
  const secrets = [...new Set([...plain, ...long.flatMap(disguisesOf)])]
  const written = [...new Set(secrets.map(escape))]
  return {
    text: (text) => replaceAll(text, secrets),
    json: <T>(value: T, whole?: string): T => {
      if (secrets.length === 0) return value
      const text = whole ?? JSON.stringify(value)
      // The shape stays what it was: only strings, numbers and names of the server's own are replaced, by strings.
      return written.some((secret) => text.includes(secret)) ? (replaceIn(value, secrets) as T) : value
    },
  }
}
