// Prints the log lines of all processes with secrets redacted.
import { jsonBounds, visible } from '@gatehouse/contracts'
import { parseJson, wallTime } from '@gatehouse/kernel'

export interface PrinterOptions {
  readonly format: 'json' | 'plain'
  readonly redactor: Redactor
  readonly write: (text: string) => void
}

export interface Printer {
  /** One line of a process; what is not JSON is wrapped, so that every printed line parses. */
  line(process: string, text: string): void
  /** The one line that may show a secret: a token when it is minted. */
  unredacted(record: Readonly<Record<string, unknown>>): void
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const parse = (process: string, text: string): Fields => {
  try {
    const value = parseJson(text, jsonBounds.childOutput)
    if (isFields(value) && typeof value['message'] === 'string') return value
  } catch {
    // What a runtime prints by itself (a crash, a warning) is no JSON.
  }
  return { time: wallTime(), level: 'warn', process, message: text }
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((part) => typeof part === 'string')

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : isTexts(value) ? value.join(',') : JSON.stringify(value)
  return /^[\w./:@,+-]*$/.test(text) ? text : visible(JSON.stringify(text))
}

const plain = ({ time, level, process, message, ...fields }: Fields): string => {
  const rest = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${shown(value)}`)
  return `${String(time)} ${String(level).padEnd(5)} ${String(process).padEnd(13)} ${visible(String(message)).replaceAll('\n', String.raw`\n`)}${rest.join('')}`
}

export const createPrinter = ({ format, redactor, write }: PrinterOptions): Printer => {
  const cleaned = (fields: Fields): Fields => {
    const clean = redactor.clean(fields)
    return isFields(clean) ? clean : {}
  }
  const render = (fields: Fields): string => (format === 'json' ? JSON.stringify(fields) : plain(fields))
  return {
    line: (process, text) => {
      if (text.trim() !== '') write(`${render(cleaned(parse(process, text)))}\n`)
    },
    unredacted: (record) => write(`${render({ time: wallTime(), level: 'info', process: 'supervisor', ...record })}\n`),
  }
}

/** Shorter ones would hide ordinary words. */
const shortest = 8

/** Short-lived secrets that are kept: each log line is compared with all of them. */
const mostShortLived = 1_024

export interface Redactor {
  add(secret: string): void
  /** A secret that is replaced from time to time. Only the newest 1,024 are kept. */
  addShortLived(secret: string): void
  /** Strings at any depth, names of fields too. */
  clean(value: unknown): unknown
}

/** As it may stand in a line: plain, in JSON, in a URL, in a Basic header. Each once. */
const spell = (secret: string): readonly string[] => [
  ...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), Buffer.from(secret).toString('base64')]),
]

export const createRedactor = (): Redactor => {
  const lasting = new Map<string, readonly string[]>()
  const shortLived = new Map<string, readonly string[]>()
  let least = Infinity

  const remember = (secrets: Map<string, readonly string[]>, secret: string): void => {
    if (secret.length < shortest) return
    const spellings = spell(secret)
    least = Math.min(least, ...spellings.map(({ length }) => length))
    // The newest stands last.
    secrets.delete(secret)
    secrets.set(secret, spellings)
  }

  const cleanText = (text: string): string => {
    // Most fields are too short to hold any secret.
    if (text.length < least) return text
    let cleaned = text
    for (const secrets of [lasting, shortLived])
      for (const spellings of secrets.values())
        for (const spelling of spellings) if (cleaned.includes(spelling)) cleaned = cleaned.replaceAll(spelling, '[redacted]')
    return cleaned
  }
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value)
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), clean(inner)]))
  }
  return {
    add: (secret) => remember(lasting, secret),
    addShortLived: (secret) => {
      remember(shortLived, secret)
      const [oldest] = shortLived.keys()
      if (oldest !== undefined && shortLived.size > mostShortLived) shortLived.delete(oldest)
    },
    clean,
  }
}
