// What is done again and again while the gateway runs. A round that fails is logged, and the next one comes.
import type { Logger } from '@gatehouse/kernel'

export interface Rounds {
  start(): void
  /** Resolves when a round that goes on has ended. */
  stop(): Promise<void>
}

export interface Round {
  /** For the log. */
  readonly what: string
  readonly run: () => Promise<unknown>
}

/** @param every milliseconds */
export const createRounds = ({ every, log }: { every: number; log: Logger }, acts: readonly Round[]): Rounds => {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  const round = async (): Promise<void> => {
    for (const { what, run } of acts) await run().catch((error: unknown) => log.warn(`${what} failed`, { error }))
    running = undefined
  }
  return {
    start: () => {
      timer ??= setInterval(() => {
        running ??= round()
      }, every).unref()
    },
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}
