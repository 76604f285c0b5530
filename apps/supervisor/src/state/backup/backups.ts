// Backups for the control plane: one at a time, read piece by piece, dropped when the reader stops.
import { randomBytes } from 'node:crypto'
import { rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { encrypt, pack } from '@gatehouse/archive'
import { type BackupOrder, limits, ServiceError } from '@gatehouse/contracts'
import { backupCopyPrefix, type Logger } from '@gatehouse/kernel'
import { collect, type Collected, type BackupSource } from './collect.ts'
import { createNotices, type Notices } from './notices.ts'

/** With less than this SQLite cannot even open a database, and calls that a fault of the disk. */
const hardlyAnything = 1024 * 1024

const codesOf = (error: unknown): string[] =>
  error instanceof Error ? [...('code' in error ? [String(error.code)] : []), ...codesOf(error.cause)] : []

const isFull = async (error: unknown, stateDir: string): Promise<boolean> => {
  const codes = codesOf(error)
  if (codes.some((code) => ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(code))) return true
  if (!codes.includes('SQLITE_IOERR')) return false
  const { bavail, bsize } = await statfs(stateDir)
  return bavail * bsize < hardlyAnything
}

/** What the caller is told of it. */
const toFailure = async (error: unknown, stateDir: string): Promise<unknown> =>
  (await isFull(error, stateDir))
    ? new ServiceError('unavailable', {
        detail: 'the disk of the state directory became full while the databases were copied',
        hint: 'make room on it, then take the backup again; nothing was changed',
        cause: error,
      })
    : error

export interface BackupsOptions extends Omit<BackupSource, 'copies' | 'notice'> {
  readonly log: Logger
  /** Milliseconds; default `limits.backupIdle`. */
  readonly idle?: number
}

export interface Begun {
  readonly id: string
  readonly name: string
}

export interface Backups {
  begin(order: BackupOrder): Promise<Begun>
  /** Null after the last bytes. */
  read(id: string): Promise<Uint8Array | null>
  end(id: string): Promise<void>
  /** Gives up what is being taken. */
  close(): Promise<void>
}

interface Running {
  readonly id: string
  readonly bytes: AsyncIterator<Uint8Array>
  readonly copies: string
  readonly collected: Collected
  readonly notices: Notices
  idle: NodeJS.Timeout | undefined
}

const nameOf = (createdAt: string): string => `gatehouse-${createdAt.slice(0, 19).replaceAll(/[-:]/g, '')}Z.age`

class Archives implements Backups {
  readonly #options: BackupsOptions
  #busy = false
  #running: Running | undefined

  constructor(options: BackupsOptions) {
    this.#options = options
  }

  async begin(order: BackupOrder): Promise<Begun> {
    if (this.#busy) throw new ServiceError('conflict', { detail: 'another backup is being taken', hint: 'wait until it has ended' })
    this.#busy = true
    const copies = join(this.#options.stateDir, `${backupCopyPrefix}${randomBytes(6).toString('hex')}`)
    try {
      const notices = createNotices(this.#options.log)
      const collected = await collect({ ...this.#options, copies, notice: notices.tell })
      const sealed = await encrypt(pack(collected.manifest, collected.entries()), order)
      const running: Running = {
        id: randomBytes(16).toString('hex'),
        bytes: sealed[Symbol.asyncIterator](),
        copies,
        collected,
        notices,
        idle: undefined,
      }
      this.#running = running
      this.#watch(running)
      return { id: running.id, name: nameOf(collected.manifest.createdAt) }
    } catch (error) {
      try {
        throw await toFailure(error, this.#options.stateDir)
      } finally {
        await rm(copies, { recursive: true, force: true })
        this.#busy = false
      }
    }
  }

  async read(id: string): Promise<Uint8Array | null> {
    const running = this.#find(id)
    clearTimeout(running.idle)
    try {
      const chunks: Uint8Array[] = []
      for (let size = 0; size < limits.backupChunk;) {
        const next = await running.bytes.next()
        if (next.done === true) break
        chunks.push(next.value)
        size += next.value.length
      }
      this.#watch(running)
      return chunks.length === 0 ? null : Buffer.concat(chunks)
    } catch (error) {
      await this.#finish(running)
      throw error
    }
  }

  async end(id: string): Promise<void> {
    if (this.#running?.id === id) await this.#finish(this.#running)
  }

  async close(): Promise<void> {
    if (this.#running !== undefined) await this.#finish(this.#running)
  }

  #find(id: string): Running {
    if (this.#running?.id === id) return this.#running
    throw new ServiceError('not-found', { detail: 'there is no such backup: it has ended, or nobody read on' })
  }

  #watch(running: Running): void {
    clearTimeout(running.idle)
    running.idle = setTimeout(() => {
      this.#options.log.warn('backup aborted: the reader stopped reading')
      void this.#finish(running)
    }, this.#options.idle ?? limits.backupIdle)
  }

  async #finish(running: Running): Promise<void> {
    clearTimeout(running.idle)
    if (this.#running !== running) return
    this.#running = undefined
    running.notices.end()
    try {
      await running.bytes.return?.()
      await running.collected.close()
      await rm(running.copies, { recursive: true, force: true })
    } catch (error) {
      this.#options.log.warn('could not remove the leftovers of a backup', { error })
    } finally {
      this.#busy = false
    }
  }
}

export const createBackups = (options: BackupsOptions): Backups => new Archives(options)
