// The log of a process: one JSON line per entry on stderr, which the supervisor prints. Values are redacted by key name.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Writable } from 'node:stream'
import { createLogger as createWinston, format, transports } from 'winston'
import { wallTime } from '../clock/clock.ts'
import type { Logger } from './logger.ts'

const redacted = '[redacted]'
const maxDepth = 8

/** A name whose last word is one of these is secret. */
const secretWords = new Set(['key', 'header', 'env', 'argument'])
/** A name that ends with one of these is secret. */
const secretEnds = ['token', 'authorization', 'secret', 'password', 'cookie', 'apikey']
const cache = new Map<string, boolean>()

/** The end of a name decides, in singular or plural: `apiKey`, `set-cookie` and `TOKENS` are secret, `keyPath` and `monkey` are not. */
const isSecretName = (name: string): boolean => {
  const cached = cache.get(name)
  if (cached !== undefined) return cached
  const singular = /s$/i.test(name) ? name.slice(0, -1) : name
  const last = /(?:[A-Z]?[a-z0-9]+|[A-Z0-9]+)$/.exec(singular)?.[0].toLowerCase() ?? ''
  const answer = secretWords.has(last) || secretEnds.some((end) => singular.toLowerCase().endsWith(end))
  if (cache.size < 1024) cache.set(name, answer)
  return answer
}

/** A number or a boolean with a secret name is a count or a state, not a secret. */
const hides = (name: string, value: unknown): boolean =>
  value !== undefined && value !== null && typeof value !== 'number' && typeof value !== 'boolean' && isSecretName(name)

/** Most members of an error are not enumerable. */
const membersOf = (value: object): [string, unknown][] => {
  const members = Object.entries(value)
  if (!(value instanceof Error)) return members
  const { name, message, stack, cause } = value
  return Object.entries({ name, message, stack, ...Object.fromEntries(members), ...(cause === undefined ? {} : { cause }) })
}

const redactObject = (value: object, ancestors: readonly object[]): unknown => {
  if (ancestors.includes(value)) return '[circular]'
  if (ancestors.length >= maxDepth) return '[deep]'
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof Date) return value
  const path = [...ancestors, value]
  if (Array.isArray(value)) return value.map((item) => toPlain(item, path))
  const out: Record<string, unknown> = {}
  for (const [name, item] of membersOf(value)) out[name] = hides(name, item) ? redacted : toPlain(item, path)
  return out
}

const toPlain = (value: unknown, ancestors: readonly object[]): unknown => {
  if (typeof value === 'bigint' || typeof value === 'symbol') return value.toString()
  if (typeof value === 'function') return '[function]'
  return typeof value === 'object' && value !== null ? redactObject(value, ancestors) : value
}

const redact = (fields: object): Record<string, unknown> => {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) out[name] = hides(name, value) ? redacted : toPlain(value, [fields])
  return out
}

/** Fields of the current unit of work, such as its request id. Every log line written during it has them. */
export interface WorkContext {
  readonly requestId: string
  readonly traceparent?: string | undefined
}

const storage = new AsyncLocalStorage<WorkContext>()

export const runInContext = <T>(context: WorkContext, act: () => T): T => storage.run(context, act)

/** Undefined outside of `runInContext`. */
export const workContext = (): WorkContext | undefined => storage.getStore()

/** Batches lines to stderr: each write wakes the reading process, which costs more than the line itself. */
export interface LineWriter {
  /** `at once` also writes all earlier lines. */
  write(line: string, urgency: 'at once' | 'soon'): void
  flush(): void
}

/** Milliseconds that a line may be buffered. A SIGKILL loses the buffered lines. */
const flushDelay = 20
const maxBuffered = 64 * 1024

const createLineWriter = (put: (text: string) => void): LineWriter => {
  let text = ''
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (text === '') return
    const lines = text
    text = ''
    put(lines)
  }
  return {
    flush,
    write: (line, urgency) => {
      text += `${line}\n`
      if (urgency === 'at once' || text.length > maxBuffered) flush()
      else timer ??= setTimeout(flush, flushDelay).unref()
    },
  }
}

const logLevels = ['error', 'warn', 'info', 'debug', 'silent'] as const

const writtenLevels = ['error', 'warn', 'info', 'debug'] as const

export interface LoggerOptions {
  readonly process: string
  /** One of `logLevels`. */
  readonly level: string
  /** Receives each line without its newline; default stderr. */
  readonly write?: ((line: string) => void) | undefined
}

export interface ProcessLogger extends Logger {
  /** Resolves when every line so far is written. */
  flush(): Promise<void>
}

/** Standard members of a line. They come first, and no field can overwrite them. */
const standardMembers = ['time', 'level', 'process', 'message'] as const

interface Entry {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown>
}

const lineOf = (process: string, { level, message, fields }: Entry): string => {
  const line: Record<string, unknown> = { time: wallTime(), level, process, message }
  for (const name of Object.keys(fields)) line[standardMembers.some((member) => member === name) ? `field.${name}` : name] = fields[name]
  return JSON.stringify(line)
}

/** Copies named fields only: the context object may have more. */
const workFields = (): object => {
  const work = workContext()
  return work === undefined ? {} : { requestId: work.requestId, traceparent: work.traceparent }
}

/** Shared by all loggers of a process, so that their lines keep their order. */
const stderr = createLineWriter((text) => void process.stderr.write(text))
process.on('exit', () => stderr.flush())

const urgent: readonly string[] = ['error', 'warn']

const getEnabledLevels = (threshold: string): readonly string[] => {
  const index = logLevels.findIndex((level) => level === threshold)
  if (index < 0) throw new TypeError(`expected a log level of ${logLevels.join(', ')}, got ${threshold}`)
  return threshold === 'silent' ? [] : writtenLevels.slice(0, index + 1)
}

/** Throws for an unknown log level. */
export const createLogger = (options: LoggerOptions): ProcessLogger => {
  const enabled = getEnabledLevels(options.level)
  let pending = 0
  const write = (line: string, level: string): void => {
    if (options.write === undefined) stderr.write(line, urgent.includes(level) ? 'at once' : 'soon')
    else options.write(line)
  }
  const stream = new Writable({
    objectMode: true,
    write: ({ level, message }: Pick<Entry, 'level' | 'message'>, _encoding, done) => {
      pending -= 1
      write(message, level)
      done()
    },
  })
  const sink = createWinston({
    level: 'debug',
    levels: { error: 0, warn: 1, info: 2, debug: 3 },
    format: format((info) => info)(),
    transports: [new transports.Stream({ stream })],
  })
  const emit = (entry: Entry): void => {
    pending += 1
    sink.log({ level: entry.level, message: lineOf(options.process, entry) })
  }
  const withFields = (bound: object): Logger => {
    const at =
      (level: (typeof writtenLevels)[number]) =>
      (message: string, fields: object = {}): void => {
        if (enabled.includes(level)) emit({ level, message, fields: redact({ ...workFields(), ...bound, ...fields }) })
      }
    const child = (fields: object): Logger => withFields({ ...bound, ...fields })
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child }
  }
  return { ...withFields({}), flush: () => waitUntilFlushed(() => pending === 0) }
}

const waitUntilFlushed = async (isEmpty: () => boolean): Promise<void> => {
  while (!isEmpty()) await new Promise((resolve) => setImmediate(resolve))
  stderr.flush()
  await new Promise<void>((resolve) => {
    if (process.stderr.writable) process.stderr.write('', () => resolve())
    else resolve()
  })
}
