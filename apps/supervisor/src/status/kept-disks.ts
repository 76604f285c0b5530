// Groups stay on their disks while a backup reads their files: the runner hears that it goes on, and when it has ended.
import { isServiceError, type runnerBackup, ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { EdgeClient } from '@gatehouse/rpc'
import type { Backups } from '../state/backup/backups.ts'

type Calls = Pick<EdgeClient<typeof runnerBackup>['calls'], 'openDisks' | 'keepDisks' | 'leaveDisks'>

export class KeptDisks {
  readonly #calls: Calls
  #reading: string | undefined

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Gives the groups whose files are in an image alone. */
  async open(): Promise<readonly string[]> {
    const { closed, reading } = await this.#calls.openDisks({})
    this.#reading = reading
    return closed
  }

  /** Rejects where a group may have moved since: what was read may not be whole. */
  async keep(): Promise<void> {
    if (this.#reading === undefined || (await this.#calls.keepDisks({ reading: this.#reading })).still) return
    throw new ServiceError('unavailable', {
      detail: 'the runner began anew or heard nothing for too long: files of groups may be missing in this backup',
      hint: 'take it again',
    })
  }

  /** Whatever is not heard ends by itself. */
  async leave(): Promise<void> {
    const reading = this.#reading
    this.#reading = undefined
    if (reading !== undefined) await this.#calls.leaveDisks({ reading }).catch(() => undefined)
  }
}

/** Each piece is given only when all groups are still where they were, so that the last one vouches for the whole. */
export const keepingDisks = (backups: Backups, disks: KeptDisks, log: Pick<Logger, 'warn'>): Backups => {
  let current: string | undefined
  const end = async (id: string): Promise<void> => {
    await backups.end(id)
    if (id === current) await disks.leave()
  }
  return {
    begin: async (order) => {
      try {
        const begun = await backups.begin(order)
        current = begun.id
        return begun
      } catch (error) {
        // The other backup goes on.
        if (!isServiceError(error) || error.code !== 'conflict') await disks.leave()
        throw error
      }
    },
    read: async (id) => {
      try {
        const bytes = await backups.read(id)
        await disks.keep()
        return bytes
      } catch (error) {
        // The answer is cut: whoever reads it is told no more than that.
        if (id === current) log.warn('a backup could not be read to its end', { error })
        await end(id)
        throw error
      }
    },
    end,
    close: () => backups.close(),
  }
}
