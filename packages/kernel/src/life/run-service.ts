// The life of a process: born from one boot document on the inherited pipe, ready, drained, gone with its supervisor.
import module from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { exits, limits, type Service } from '@gatehouse/contracts'
import type * as v from 'valibot'
import { createLogger, type ProcessLogger } from '../log/create-logger.ts'
import { createMetrics } from '../metrics/create-metrics.ts'
import { parseBoot } from './boot.ts'
import { type Ending, listenForEnd, stopWithin } from './ending.ts'
import { openPipe, type ParentPipe } from './pipe.ts'
import { refusalOf } from './refusal.ts'
import type { CommonBoot, Lifeline, Running } from './service.ts'

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
