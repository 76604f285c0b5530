// The life of a process: born from one boot document on the inherited pipe, ready, drained, gone with its supervisor.
import module from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Edge,
  edgeSocket,
  exits,
  type GatewayBoot,
  isShared,
  jsonBounds,
  limits,
  type RunPlace,
  type Service,
} from '@gatehouse/contracts'
import * as v from 'valibot'
import { parseJson } from '../json/parse-json.ts'
import { createLogger, type ProcessLogger } from '../log/create-logger.ts'
import type { Logger } from '../log/logger.ts'
import { createMetrics, type Metrics } from '../metrics/create-metrics.ts'
import { openPipe, type ParentPipe } from './pipe.ts'
import { Refusal, refusalOf } from './refusal.ts'

/** The boot document, checked. Never shows what was got: it holds every secret of the process. */
const readJson = (text: string): unknown => {
  try {
    return parseJson(text, jsonBounds.stateFile)
  } catch {
    throw new Refusal(exits.configuration, { detail: 'expected a boot document in JSON on the inherited pipe, got something else' })
  }
}

/** `Refusal` 78 names the members that differ. */
const parseBoot = <B>(schema: v.GenericSchema<unknown, B>, text: string): B => {
  const parsed = v.safeParse(schema, readJson(text))
  if (parsed.success) return parsed.output
  const where = parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the document').join(', ')
  throw new Refusal(exits.configuration, { detail: `expected a boot document of this version, got one that differs at: ${where}` })
}

/** Why a process ends and how long it may take. */
export interface Ending {
  /** Resolves with the milliseconds that remain: after a signal, a drain line, or the end of the pipe. */
  readonly asked: Promise<number>
  /** Resolves when the supervisor is gone, which shortens a drain that runs. */
  readonly orphaned: Promise<number>
}

const listenForEnd = (pipe: ParentPipe): Ending => {
  const term = new Promise<void>((resolve) => void process.on('SIGTERM', () => resolve()))
  // A terminal sends these to the whole group; the supervisor alone answers them.
  process.on('SIGINT', () => undefined)
  process.on('SIGHUP', () => undefined)
  const orphaned = pipe.gone.then(() => limits.orphanTime)
  return { asked: Promise.race([Promise.race([term, pipe.drain]).then(() => limits.drainTime), orphaned]), orphaned }
}

const late = async (most: number): Promise<'late'> => pause(most, 'late', { ref: false })

/** The exit code after everything was stopped, or after the time for it was over. */
const stopWithin = async (running: Running, ending: Ending, log: Logger): Promise<number> => {
  const most = await ending.asked
  log.info('stopping', { most })
  try {
    const outcome = await Promise.race([running.stop(), late(most), ending.orphaned.then(late)])
    if (outcome === 'late') log.warn('stopped before everything had ended')
    return exits.stopped
  } catch (error) {
    log.error('could not stop in order', { error })
    return exits.childCannotStart
  }
}

export interface ServiceOptions<B extends CommonBoot> {
  readonly name: Service
  readonly schema: v.GenericSchema<unknown, B>
  readonly start: (line: Lifeline<B>) => Promise<Running>
}

/** What is known of the process so far: the log changes its level once the boot document is read. */
interface Process {
  log: ProcessLogger
  pipe?: ParentPipe
}

const exit = async (self: Process, code: number): Promise<never> => {
  await Promise.race([Promise.all([self.log.flush(), self.pipe?.flush()]), pause(limits.orphanTime)])
  process.exit(code)
}

const logFaults = (self: Process): void => {
  process.stderr.on('error', () => undefined)
  process.removeAllListeners('warning')
  process.on('warning', (warning) => self.log.warn('runtime warning', { error: warning }))
  const fail = (error: unknown): void => {
    self.log.error('unexpected error: the process ends', { error })
    void exit(self, exits.childCannotStart)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
}

/** Undefined when the process is asked to end before it runs. */
const startService = async <B extends CommonBoot>(
  options: ServiceOptions<B>,
  self: Process,
  ending: Ending,
): Promise<Running | undefined> => {
  const { pipe } = self
  if (pipe === undefined) return undefined
  const text = await Promise.race([pipe.first, ending.asked])
  if (typeof text === 'number') return undefined
  const boot = parseBoot(options.schema, text)
  self.log = createLogger({ process: options.name, level: boot.logLevel })
  const secret = (value: string): void => pipe.send({ type: 'secret', value })
  const starting = options.start({ boot, log: self.log, metrics: createMetrics(options.name), secret })
  const running = await Promise.race([starting, ending.asked.then((most) => pause(most, undefined))])
  if (running !== undefined) pipe.send({ type: 'ready' })
  return running
}

const refuse = (self: Process, error: unknown): Promise<never> => {
  const refusal = refusalOf(error)
  if (refusal === undefined) self.log.error('could not start', { error })
  else if (self.pipe === undefined) self.log.error(refusal.detail, refusal)
  else self.pipe.send({ type: 'refuse', ...refusal })
  return exit(self, refusal?.exit ?? exits.childCannotStart)
}

/**
 * Runs until the supervisor asks for an end or is gone. A `Refusal`, or a `ServiceError` that cannot pass by itself,
 * thrown by `start` is told to the supervisor; anything else thrown there is a crash, which the supervisor retries.
 */
export const runService = async <B extends CommonBoot>(options: ServiceOptions<B>): Promise<void> => {
  process.umask(0o077)
  const self: Process = { log: createLogger({ process: options.name, level: 'info' }) }
  logFaults(self)
  try {
    self.pipe = openPipe()
    const ending = listenForEnd(self.pipe)
    const running = await startService(options, self, ending)
    if (running === undefined) return await exit(self, exits.stopped)
    module.flushCompileCache()
    await exit(self, await stopWithin(running, ending, self.log))
  } catch (error) {
    await refuse(self, error)
  }
}

/** The members that every boot document has. */
export type CommonBoot = Pick<GatewayBoot, 'mode' | 'version' | 'installation' | 'stateDir' | 'runDir' | 'logLevel' | 'edges'>

export interface Lifeline<B> {
  readonly boot: B
  readonly log: Logger
  readonly metrics: Metrics
  /** A secret learnt after boot: the supervisor redacts it from then on. */
  readonly secret: (value: string) => void
}

export interface Running {
  /** Lets what runs end, then releases everything. */
  stop(): Promise<void>
}

export interface EdgeAddress {
  readonly path: string
  readonly secret: string
  readonly shared: boolean
}

/** Throws a `Refusal` for an edge whose secret is not in the boot document. */
export const edgeAddress = (boot: Pick<CommonBoot, 'edges'> & RunPlace, edge: Edge): EdgeAddress => {
  const secret = boot.edges[edge.name]
  if (secret === undefined) throw new Refusal(exits.childCannotStart, { detail: `expected the secret of the edge ${edge.name}, got none` })
  return { path: edgeSocket(boot, edge), secret, shared: isShared(boot, edge) }
}
