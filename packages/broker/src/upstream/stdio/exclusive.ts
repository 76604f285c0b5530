// Never two processes at once of a local server that keeps files: a start waits until the process before it is gone.
import { abortable } from '@gatehouse/kernel'
import { type CatalogEntry, limits } from '@gatehouse/contracts'
import { UpstreamFailure } from '../base/failure.ts'
import type { RunningProgram } from './start-program.ts'

/** Whether two processes of the server would write to the same files. */
export const keepsFiles = (entry: CatalogEntry): boolean =>
  entry.transport === 'stdio' && (entry.data === true || entry.volumes?.some(({ mode }) => mode === 'rw') === true)

type Start = () => Promise<RunningProgram>

export class ExclusiveStarts {
  readonly #longest: number
  /** Of each server, when the last process that was asked for is gone. */
  readonly #last = new Map<string, Promise<void>>()

  constructor(longest: number = limits.connectTime) {
    this.#longest = longest
  }

  /** Rejects with `UpstreamFailure` where the one before does not end in time. */
  async start(server: string, start: Start, signal: AbortSignal): Promise<RunningProgram> {
    const before = this.#last.get(server) ?? Promise.resolve()
    const own = Promise.withResolvers<void>()
    const gone = before.then(() => own.promise)
    this.#last.set(server, gone)
    void gone.then(() => {
      if (this.#last.get(server) === gone) this.#last.delete(server)
    })
    try {
      await this.#wait(before, signal)
      const running = await start()
      void running.gone.then(own.resolve, own.resolve)
      return running
    } catch (error) {
      own.resolve()
      throw error
    }
  }

  async #wait(before: Promise<void>, signal: AbortSignal): Promise<void> {
    const patience = AbortSignal.timeout(this.#longest)
    try {
      await abortable(before, AbortSignal.any([signal, patience]))
    } catch (error) {
      throw patience.aborted ? new UpstreamFailure('still-running') : error
    }
  }
}
