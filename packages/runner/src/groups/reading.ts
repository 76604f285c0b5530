// While a backup reads the files of groups each group stays on the disk that it has, and none is set aside or removed.
import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { type AgentGroupID, limits, ServiceError } from '@gatehouse/contracts'
import { abortable, ifPresent } from '@gatehouse/kernel'
import { hasDisk } from './mount.ts'

/** A piece may be read so long, and wait so long for whoever takes it. */
const silence = 3 * limits.backupIdle

interface Running {
  readonly id: string
  readonly ended: PromiseWithResolvers<void>
  readonly late: NodeJS.Timeout
}

export class Reading {
  readonly #most: number
  #running: Running | undefined

  /** Milliseconds after which a backup that says nothing has ended. */
  constructor(most: number = silence) {
    this.#most = most
  }

  get isOn(): boolean {
    return this.#running !== undefined
  }

  /** One at a time: an earlier one is told with its next word that it has ended. */
  begin(): string {
    this.#end()
    const id = randomUUID()
    const late = setTimeout(() => this.#end(), this.#most).unref()
    this.#running = { id, ended: Promise.withResolvers(), late }
    return id
  }

  /** It goes on. False where it had ended, so that groups may have moved since. */
  keep(id: string): boolean {
    if (this.#running?.id !== id) return false
    this.#running.late.refresh()
    return true
  }

  end(id: string): void {
    if (this.#running?.id === id) this.#end()
  }

  /** Resolves when nobody reads. */
  async over(signal: AbortSignal): Promise<void> {
    while (this.#running !== undefined) await abortable(this.#running.ended.promise, signal)
  }

  #end(): void {
    const running = this.#running
    this.#running = undefined
    clearTimeout(running?.late)
    running?.ended.resolve()
  }
}

/** A group that gets its first disk takes what it has along. */
export const refuseFirst = async (groups: string, group: AgentGroupID): Promise<void> => {
  if (await hasDisk(groups, group)) return
  const names = (await ifPresent(readdir(`${groups}/${group}`))) ?? []
  if (names.length === 0) return
  throw new ServiceError('unavailable', {
    detail: `a backup reads the files of ${group}, which go over to its first disk`,
    hint: 'the unit tries again by itself, until the backup has ended',
  })
}
