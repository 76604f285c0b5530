// Why a process ends and how long it may take.
import { setTimeout as pause } from 'node:timers/promises'
import { exits, limits } from '@gatehouse/contracts'
import type { Logger } from '../log/logger.ts'
import type { ParentPipe } from './pipe.ts'
import type { Running } from './service.ts'

export interface Ending {
  /** Resolves with the milliseconds that remain: after a signal, a drain line, or the end of the pipe. */
  readonly asked: Promise<number>
  /** Resolves when the supervisor is gone, which shortens a drain that runs. */
  readonly orphaned: Promise<number>
}

export const listenForEnd = (pipe: ParentPipe): Ending => {
  const term = new Promise<void>((resolve) => void process.on('SIGTERM', () => resolve()))
  // A terminal sends these to the whole group; the supervisor alone answers them.
  process.on('SIGINT', () => undefined)
  process.on('SIGHUP', () => undefined)
  const orphaned = pipe.gone.then(() => limits.orphanTime)
  return { asked: Promise.race([Promise.race([term, pipe.drain]).then(() => limits.drainTime), orphaned]), orphaned }
}

const late = async (most: number): Promise<'late'> => pause(most, 'late', { ref: false })

/** The exit code after everything was stopped, or after the time for it was over. */
export const stopWithin = async (running: Running, ending: Ending, log: Logger): Promise<number> => {
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
