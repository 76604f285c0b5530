// Keeps the two connections to a file and opens them again after a fault; what a failed sync left in doubt is
// written anew before the next act.
import { ServiceError } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { isDiskFull, sqliteCode, toStoreError } from './faults.ts'
import { closePair, openPair, type Pair } from './pair.ts'

export interface ConnectionsOptions {
  readonly path: string
  readonly key: string
  readonly log?: Logger | undefined
}

export class Connections {
  readonly #options: ConnectionsOptions
  #pair: Promise<Pair> | undefined
  /** A sync has failed: pages of the write-ahead log may be in memory alone. */
  #doubt = false

  constructor(options: ConnectionsOptions) {
    this.#options = options
  }

  /** For reads: opened if need be. */
  current(): Promise<Pair> {
    return (this.#pair ??= this.#keep(this.#open()))
  }

  /** For an act: everything acknowledged is on disk. */
  async sound(): Promise<Pair> {
    const pair = await this.current()
    if (this.#doubt) await this.#rewrite(pair)
    this.#doubt = false
    return pair
  }

  /** After a fault: nothing that was read before counts. */
  reset(fault: unknown): void {
    const { path, log } = this.#options
    log?.warn('the database is closed and opened again after a fault', { path, code: sqliteCode(fault) })
    this.#doubt ||= !isDiskFull(fault)
    const old = this.#pair
    const reopened = async (): Promise<Pair> => {
      // What cannot be closed cleanly is given up.
      await old?.then(closePair).catch(() => {})
      return this.#open()
    }
    this.#pair = this.#keep(reopened())
  }

  async close(): Promise<void> {
    const old = this.#pair
    this.#pair = this.#keep(Promise.reject(new ServiceError('unavailable', { detail: `${this.#options.path}: the store is closed` })), true)
    await old?.then(closePair, () => {})
  }

  #open(): Promise<Pair> {
    return openPair(this.#options.path, this.#options.key)
  }

  /** A failure is told to all who ask now; the next one tries again, unless it is for good. */
  #keep(opening: Promise<Pair>, forGood = false): Promise<Pair> {
    const kept: Promise<Pair> = opening.catch((error: unknown) => {
      if (this.#pair === kept && !forGood) this.#pair = undefined
      throw toStoreError(error, this.#options.path)
    })
    kept.catch(() => {})
    return kept
  }

  /** Copies every page out of the write-ahead log and syncs it, so that none rests on the sync that failed. */
  async #rewrite({ writer }: Pair): Promise<void> {
    const { path } = this.#options
    try {
      const [result] = (await writer.all('PRAGMA wal_checkpoint(TRUNCATE)', [])) as { busy: number }[]
      if (result?.busy !== 0) throw new ServiceError('unavailable', { detail: `${path}: another program holds the write-ahead log` })
    } catch (error) {
      throw toStoreError(error, path)
    }
  }
}
