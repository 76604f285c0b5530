// The log of a process: one JSON line per entry, on stderr, for the supervisor's printer. Secrets go by key name.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Writable } from 'node:stream'
import { createLogger as createWinston, format, transports } from 'winston'
import { wallTime } from '../clock/wall.ts'
import type { Logger } from './logger.ts'
import { redact } from './redact.ts'

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
