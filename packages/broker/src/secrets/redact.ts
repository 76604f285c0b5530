// Keeps the values of an entry out of what leaves the broker, also as URLs, headers and dumps write them: it stops a leak by accident, not a
// hostile server.
import { mask } from '@gatehouse/contracts'
import { minSecretLength } from './expand.ts'

/** Shorter values would match unrelated text. */
const minEncoding = 12

/** The part of the base64 encoding that is the same in any text containing these bytes, independent of adjacent bytes. */
const inBase64 = (bytes: Buffer): string[] =>
  [0, 2, 3].flatMap((skipped, before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const piece = text.slice(skipped, Math.floor((before + bytes.length) / 3) * 4)
    return [piece, piece.replaceAll('+', '-').replaceAll('/', '_')]
  })

const inUrl = (value: string): string[] => {
  const text = encodeURIComponent(value.toWellFormed())
  return [text, text.replaceAll('%20', '+')]
}

/** Encoded forms, without the value itself. */
const secretEncodings = (value: string): string[] => {
  const bytes = Buffer.from(value)
  const hex = bytes.toString('hex')
  const all = [...inUrl(value), ...inBase64(bytes), hex, hex.toUpperCase()]
  return all.filter((text) => text.length >= minEncoding && text !== value)
}

export interface Redactor {
  /** Free text. */
  text(text: string): string
  /** A value of JSON; the same one where nothing had to be replaced. `whole` is its JSON when it is at hand. */
  json<T>(value: T, whole?: string): T
}

/** Of one line of a value. */
const minLine = 12

const replaceAll = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => (rest.includes(secret) ? rest.replaceAll(secret, mask) : rest), text)

/** Names of the protocol and of schemas, which are never secret. */
const protocolNames = new Set(
  'content structuredContent isError error message retryAfter resource mimeType description inputSchema outputSchema annotations'.split(
    ' ',
  ),
)

const replaceName = (name: string, secrets: readonly string[]): string => (protocolNames.has(name) ? name : replaceAll(name, secrets))

const replaceIn = (value: unknown, secrets: readonly string[]): unknown => {
  if (typeof value === 'string') return replaceAll(value, secrets)
  if (typeof value === 'number') return secrets.some((secret) => String(value).includes(secret)) ? mask : value
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [replaceName(name, secrets), replaceIn(item, secrets)]))
}

/** Of a value that has several. */
const splitLines = (value: string): string[] => (value.includes('\n') ? value.split(/\r?\n/).filter((line) => line.length >= minLine) : [])

const escape = (text: string): string => JSON.stringify(text).slice(1, -1)

export const createRedactor = (values: readonly string[]): Redactor => {
  const long = values.filter((value) => value.length >= minSecretLength).toSorted((a, b) => b.length - a.length)
  // A text can contain JSON with the value, or be read line by line.
  const plain = long.flatMap((value) => [value, escape(escape(value)), escape(value), ...splitLines(value)])
  const secrets = [...new Set([...plain, ...long.flatMap(secretEncodings)])]
  const written = [...new Set(secrets.map(escape))]
  return {
    text: (text) => replaceAll(text, secrets),
    json: <T>(value: T, whole?: string): T => {
      if (secrets.length === 0) return value
      const text = whole ?? JSON.stringify(value)
      // The structure is unchanged: only strings, numbers and names of the server are replaced by strings.
      return written.some((secret) => text.includes(secret)) ? (replaceIn(value, secrets) as T) : value
    },
  }
}
