// The lifecycle of a service process: it boots from a document on the inherited pipe, reports that it is ready, drains on request, and
// ends with its supervisor.
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
import { Refusal, toRefusal } from './refusal.ts'
import { keepMemoryLow } from './release-memory.ts'

/** Parses the boot document. Errors never quote it: it holds every secret of the process. */
const readJson = (text: string): unknown => {
  try {
    return parseJson(text, jsonBounds.stateFile)
  } catch {
    throw new Refusal(exits.configuration, { detail: 'the boot document on the inherited pipe is not valid JSON' })
  }
}

/** Throws `Refusal` 78 with the paths of the invalid members. */
const parseBoot = <B>(schema: v.GenericSchema<unknown, B>, text: string): B => {
  const parsed = v.safeParse(schema, readJson(text))
  if (parsed.success) return parsed.output
  const where = parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the document').join(', ')
  throw new Refusal(exits.configuration, { detail: `the boot document does not match this version at: ${where}` })
}

/** When a process has to end, and how long it may take. */
export interface Ending {
  /** Resolves after a signal, a drain line or the end of the pipe, with the time limit in milliseconds. */
  readonly requested: Promise<number>
  /** Resolves when the supervisor is gone, with a time limit that also shortens a running drain. */
  readonly orphaned: Promise<number>
}

const listenForEnd = (pipe: ParentPipe): Ending => {
  const term = new Promise<void>((resolve) => void process.on('SIGTERM', () => resolve()))
  // A terminal sends these to the whole process group; only the supervisor handles them.
  process.on('SIGINT', () => undefined)
  process.on('SIGHUP', () => undefined)
  const orphaned = pipe.gone.then(() => limits.orphanTime)
  return { requested: Promise.race([Promise.race([term, pipe.drain]).then(() => limits.drainTime), orphaned]), orphaned }
}

const timeOut = async (time: number): Promise<'late'> => pause(time, 'late', { ref: false })

/** Stops the service within the time limit. Resolves to the exit code. */
const stopWithin = async (running: Running, ending: Ending, log: Logger): Promise<number> => {
  const timeLimit = await ending.requested
  log.info('stopping', { most: timeLimit })
  try {
    const outcome = await Promise.race([running.stop(), timeOut(timeLimit), ending.orphaned.then(timeOut)])
    if (outcome === 'late') log.warn('stop timed out: ending with work still running')
    return exits.stopped
  } catch (error) {
    log.error('stop failed', { error })
    return exits.childCannotStart
  }
}

export interface ServiceOptions<B extends CommonBoot> {
  readonly name: Service
  readonly schema: v.GenericSchema<unknown, B>
  readonly start: (context: ServiceContext<B>) => Promise<Running>
}

/** State of the process. The log gets its level when the boot document is read. */
interface Process {
  log: ProcessLogger
  pipe?: ParentPipe
}

const exit = async (state: Process, code: number): Promise<never> => {
  await Promise.race([Promise.all([state.log.flush(), state.pipe?.flush()]), pause(limits.orphanTime)])
  process.exit(code)
}

const logFaults = (state: Process): void => {
  process.stderr.on('error', () => undefined)
  process.removeAllListeners('warning')
  process.on('warning', (warning) => state.log.warn('runtime warning', { error: warning }))
  const fail = (error: unknown): void => {
    state.log.error('unexpected error, exiting', { error })
    void exit(state, exits.childCannotStart)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
}

/** Resolves to undefined when the process has to end before it runs. */
const startService = async <B extends CommonBoot>(
  options: ServiceOptions<B>,
  state: Process,
  ending: Ending,
): Promise<Running | undefined> => {
  const { pipe } = state
  if (pipe === undefined) return undefined
  const text = await Promise.race([pipe.first, ending.requested])
  if (typeof text === 'number') return undefined
  const boot = parseBoot(options.schema, text)
  state.log = createLogger({ process: options.name, level: boot.logLevel })
  const secret: ReportSecret = (value, options) => pipe.send({ type: 'secret', value, ...options })
  const starting = options.start({ boot, log: state.log, metrics: createMetrics(options.name), secret })
  const running = await Promise.race([starting, ending.requested.then((timeLimit) => pause(timeLimit, undefined))])
  if (running !== undefined) pipe.send({ type: 'ready' })
  return running
}

const reportStartFailure = (state: Process, error: unknown): Promise<never> => {
  const refusal = toRefusal(error)
  if (refusal === undefined) state.log.error('could not start', { error })
  else if (state.pipe === undefined) state.log.error(refusal.detail, refusal)
  else state.pipe.send({ type: 'refuse', ...refusal })
  return exit(state, refusal?.exit ?? exits.childCannotStart)
}

/**
 * Runs a service until the supervisor requests its end or is gone. A `Refusal` or a permanent `ServiceError` thrown by `start` is
 * reported to the supervisor and ends the unit; anything else thrown there is a crash, which the supervisor retries.
 */
export const runService = async <B extends CommonBoot>(options: ServiceOptions<B>): Promise<void> => {
  process.umask(0o077)
  const state: Process = { log: createLogger({ process: options.name, level: 'info' }) }
  logFaults(state)
  try {
    state.pipe = openPipe()
    const ending = listenForEnd(state.pipe)
    const running = await startService(options, state, ending)
    if (running === undefined) return await exit(state, exits.stopped)
    module.flushCompileCache()
    keepMemoryLow()
    await exit(state, await stopWithin(running, ending, state.log))
  } catch (error) {
    await reportStartFailure(state, error)
  }
}

/** The members of every boot document. */
export type CommonBoot = Pick<GatewayBoot, 'mode' | 'version' | 'installation' | 'stateDir' | 'runDir' | 'logLevel' | 'edges'>

/** Reports a secret obtained after boot, so that the supervisor redacts it from log lines. `shortLived`: it is replaced from time to time. */
export type ReportSecret = (value: string, options?: { readonly shortLived: true }) => void

export interface ServiceContext<B> {
  readonly boot: B
  readonly log: Logger
  readonly metrics: Metrics
  readonly secret: ReportSecret
}

export interface Running {
  /** Lets running work end, then releases everything. */
  stop(): Promise<void>
}

export interface EdgeAddress {
  readonly path: string
  readonly secret: string
  readonly shared: boolean
}

/** The socket and secret of an edge. Throws a `Refusal` when the boot document has no secret for it. */
export const edgeAddress = (boot: Pick<CommonBoot, 'edges'> & RunPlace, edge: Edge): EdgeAddress => {
  const secret = boot.edges[edge.name]
  if (secret === undefined)
    throw new Refusal(exits.childCannotStart, { detail: `the boot document has no secret for the edge ${edge.name}` })
  return { path: edgeSocket(boot, edge), secret, shared: isShared(boot, edge) }
}
