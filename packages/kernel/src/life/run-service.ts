// The life of a process: born from one boot document on the inherited pipe, ready, drained, gone with its supervisor.
import module from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { exits, limits, type Service } from '@gatehouse/contracts'
import * as v from 'valibot'
import { createLogger, type ProcessLogger } from '../log/create-logger.ts'
import { createMetrics } from '../metrics/create-metrics.ts'
import { openPipe, type ParentPipe } from './pipe.ts'
import { Refusal, refusalOf } from './refusal.ts'
import type { CommonBoot, Lifeline, Running } from './service.ts'

export interface ServiceOptions<B extends CommonBoot> {
  readonly name: Service
  readonly schema: v.GenericSchema<unknown, B>
  start(line: Lifeline<B>): Promise<Running>
}

/** Never shows what was got: it holds every secret of the process. */
const parseBoot = <B extends CommonBoot>(schema: v.GenericSchema<unknown, B>, text: string): B => {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw new Refusal(exits.configuration, { detail: 'expected a boot document in JSON on the inherited pipe, got something else' })
  }
  const parsed = v.safeParse(schema, document)
  if (parsed.success) return parsed.output
  const where = parsed.issues.map((issue) => v.getDotPath(issue) ?? 'document').join(', ')
  throw new Refusal(exits.configuration, { detail: `expected a boot document of this version, got one that differs at: ${where}` })
}

interface Ending {
  readonly reason: 'drain' | 'gone'
  /** Milliseconds that `stop` may take. */
  readonly most: number
}

/** The first of: a signal, a drain line, the end of the pipe. The end of the pipe shortens a drain that runs. */
const listenForEnd = (pipe: ParentPipe): { readonly ended: Promise<Ending>; readonly orphaned: Promise<Ending> } => {
  const ended = Promise.withResolvers<Ending>()
  const orphaned = Promise.withResolvers<Ending>()
  const drain = (): void => ended.resolve({ reason: 'drain', most: limits.drainTime })
  process.on('SIGTERM', drain)
  pipe.onDrain(drain)
  pipe.onGone(() => {
    ended.resolve({ reason: 'gone', most: limits.orphanTime })
    orphaned.resolve({ reason: 'gone', most: limits.orphanTime })
  })
  // A terminal sends these to the whole group; the supervisor alone answers them.
  process.on('SIGINT', () => undefined)
  process.on('SIGHUP', () => undefined)
  return { ended: ended.promise, orphaned: orphaned.promise }
}

const logFaults = (log: ProcessLogger, exit: (code: number) => Promise<never>): void => {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn('runtime warning', { error: warning }))
  const fail = (error: unknown): void => {
    log.error('unexpected error: the process ends', { error })
    void exit(exits.childCannotStart)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
}

const stopWithin = async (running: Running, ending: Ending, orphaned: Promise<Ending>, log: ProcessLogger): Promise<number> => {
  const late = Promise.race([pause(ending.most, true, { ref: false }), orphaned.then(({ most }) => pause(most, true, { ref: false }))])
  try {
    if ((await Promise.race([running.stop(), late])) !== true) return exits.stopped
    log.warn('stopped before everything had ended', { reason: ending.reason })
    return exits.stopped
  } catch (error) {
    log.error('could not stop in order', { error })
    return exits.childCannotStart
  }
}

export const runService = async <B extends CommonBoot>(options: ServiceOptions<B>): Promise<void> => {
  process.umask(0o077)
  process.stderr.on('error', () => undefined)
  const pipe = openPipe()
  let log = createLogger({ process: options.name, level: 'info' })
  const exit = async (code: number): Promise<never> => {
    await Promise.race([Promise.all([log.flush(), pipe.flush()]), pause(limits.orphanTime)])
    process.exit(code)
  }
  logFaults(log, exit)
  const { ended, orphaned } = listenForEnd(pipe)
  try {
    const boot = parseBoot(options.schema, await pipe.first)
    log = createLogger({ process: options.name, level: boot.logLevel })
    const secret = (value: string): void => pipe.send({ type: 'secret', value })
    const starting = options.start({ boot, log, metrics: createMetrics(options.name), secret })
    const early = await Promise.race([starting.then(() => undefined), ended.then(({ most }) => pause(most, exits.stopped))])
    if (early !== undefined) return await exit(early)
    pipe.send({ type: 'ready' })
    module.flushCompileCache()
    const ending = await ended
    log.info('stopping', { reason: ending.reason })
    await exit(await stopWithin(await starting, ending, orphaned, log))
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) log.error('could not start', { error })
    else pipe.send({ type: 'refuse', ...refusal })
    await exit(refusal?.exit ?? exits.childCannotStart)
  }
}
