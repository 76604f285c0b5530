// The log of a process: one JSON line per entry, on stderr, for the supervisor's printer. Secrets go by key name.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Writable } from 'node:stream'
import { createLogger as createWinston, format, transports } from 'winston'
import { wallTime } from '../clock/clock.ts'
import type { Logger } from './logger.ts'

const redacted = '[redacted]'
const deepest = 8

/** Secret as the whole last word of a name. */
const words = new Set(['key', 'header', 'env', 'argument'])
/** Secret as the end of a name. */
const ends = ['token', 'authorization', 'secret', 'password', 'cookie', 'apikey']
const known = new Map<string, boolean>()

/** The end of a name decides, in singular or plural: `apiKey`, `set-cookie` and `TOKENS` are secret, `keyPath` and `monkey` are not. */
const isSecretName = (name: string): boolean => {
  const cached = known.get(name)
  if (cached !== undefined) return cached
  const singular = /s$/i.test(name) ? name.slice(0, -1) : name
  const last = /(?:[A-Z]?[a-z0-9]+|[A-Z0-9]+)$/.exec(singular)?.[0].toLowerCase() ?? ''
  const answer = words.has(last) || ends.some((end) => singular.toLowerCase().endsWith(end))
  if (known.size < 1024) known.set(name, answer)
  return answer
}

/** A number or a boolean under such a name is a count or a state, not a secret. */
const hides = (name: string, value: unknown): boolean =>
  value !== undefined && value !== null && typeof value !== 'number' && typeof value !== 'boolean' && isSecretName(name)

/** Most members of an error are not enumerable. */
const membersOf = (value: object): [string, unknown][] => {
  const members = Object.entries(value)
  if (!(value instanceof Error)) return members
  const { name, message, stack, cause } = value
  return Object.entries({ name, message, stack, ...Object.fromEntries(members), ...(cause === undefined ? {} : { cause }) })
}

const copy = (value: object, above: readonly object[]): unknown => {
  if (above.includes(value)) return '[circular]'
  if (above.length >= deepest) return '[deep]'
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof Date) return value
  const within = [...above, value]
  if (Array.isArray(value)) return value.map((item) => plain(item, within))
  const out: Record<string, unknown> = {}
  for (const [name, item] of membersOf(value)) out[name] = hides(name, item) ? redacted : plain(item, within)
  return out
}

const plain = (value: unknown, above: readonly object[]): unknown => {
  if (typeof value === 'bigint' || typeof value === 'symbol') return value.toString()
  if (typeof value === 'function') return '[function]'
  return typeof value === 'object' && value !== null ? copy(value, above) : value
}

const redact = (fields: object): Record<string, unknown> => {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) out[name] = hides(name, value) ? redacted : plain(value, [fields])
  return out
}

/** Fields that belong to the work at hand, such as its request id: every log line written during it carries them. */
export interface WorkContext {
  readonly requestId: string
  readonly traceparent?: string | undefined
}

const storage = new AsyncLocalStorage<WorkContext>()

export const runInContext = <T>(context: WorkContext, act: () => T): T => storage.run(context, act)

/** Nothing outside a piece of work. */
export const workContext = (): WorkContext | undefined => storage.getStore()

/** Lines to stderr, many in one write: each write wakes the process that reads, which costs more than the line itself. */
export interface LineWriter {
  /** `at once` takes all earlier lines along. */
  write(line: string, urgency: 'at once' | 'soon'): void
  flush(): void
}

/** Milliseconds that a line may wait; what a SIGKILL can take. */
const wait = 20
const most = 64 * 1024

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
      if (urgency === 'at once' || text.length > most) flush()
      else timer ??= setTimeout(flush, wait).unref()
    },
  }
}

const logLevels = ['error', 'warn', 'info', 'debug', 'silent'] as const

const written = ['error', 'warn', 'info', 'debug'] as const

export interface LoggerOptions {
  readonly process: string
  /** One of `logLevels`. */
  readonly level: string
  /** Takes a line without its newline; default stderr. */
  readonly write?: ((line: string) => void) | undefined
}

export interface ProcessLogger extends Logger {
  /** Resolves when every line so far is handed to the system. */
  flush(): Promise<void>
}

/** Own members of a line come first and cannot be overwritten by a field. */
const own = ['time', 'level', 'process', 'message'] as const

interface Entry {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown>
}

const lineOf = (process: string, { level, message, fields }: Entry): string => {
  const line: Record<string, unknown> = { time: wallTime(), level, process, message }
  for (const name of Object.keys(fields)) line[own.some((mine) => mine === name) ? `field.${name}` : name] = fields[name]
  return JSON.stringify(line)
}

/** Named one by one: the context may be an object that knows more. */
const workFields = (): object => {
  const work = workContext()
  return work === undefined ? {} : { requestId: work.requestId, traceparent: work.traceparent }
}

/** One for all loggers of a process, so that their lines keep their order. */
const stderr = createLineWriter((text) => void process.stderr.write(text))
process.on('exit', () => stderr.flush())

const urgent: readonly string[] = ['error', 'warn']

export const createLogger = (options: LoggerOptions): ProcessLogger => {
  const most = logLevels.findIndex((level) => level === options.level)
  if (most < 0) throw new TypeError(`expected a log level of ${logLevels.join(', ')}, got ${options.level}`)
  const enabled: readonly string[] = options.level === 'silent' ? [] : written.slice(0, most + 1)
  let waiting = 0
  const write = (line: string, level: string): void => {
    if (options.write === undefined) stderr.write(line, urgent.includes(level) ? 'at once' : 'soon')
    else options.write(line)
  }
  const stream = new Writable({
    objectMode: true,
    write: ({ level, message }: Pick<Entry, 'level' | 'message'>, _encoding, done) => {
      waiting -= 1
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
    waiting += 1
    sink.log({ level: entry.level, message: lineOf(options.process, entry) })
  }
  const under = (bound: object): Logger => {
    const at =
      (level: (typeof written)[number]) =>
      (message: string, fields: object = {}): void => {
        if (enabled.includes(level)) emit({ level, message, fields: redact({ ...workFields(), ...bound, ...fields }) })
      }
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: (fields) => under({ ...bound, ...fields }) }
  }
  return { ...under({}), flush: () => flushed(() => waiting === 0) }
}

const flushed = async (isEmpty: () => boolean): Promise<void> => {
  while (!isEmpty()) await new Promise((resolve) => setImmediate(resolve))
  stderr.flush()
  await new Promise<void>((resolve) => {
    if (process.stderr.writable) process.stderr.write('', () => resolve())
    else resolve()
  })
}
