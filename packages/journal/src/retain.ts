// Rotation and retention of record files: when the current file is closed, its new name, and when a closed file is deleted.
import { createReadStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { limits } from '@gatehouse/contracts'
import { retentionMs, wallMs } from '@gatehouse/kernel'
import { rotatedNumbers, rotatedPath } from './rotated.ts'

export interface Retention {
  /** Milliseconds for which records are kept. */
  readonly time: number
  /** Size in bytes beyond which a file is closed. */
  readonly maxFileSize?: number
}

/** Milliseconds before a failed rotation is retried. */
const retryTime = 60_000

const readTime = (line: string): number => {
  try {
    const { time } = JSON.parse(line) as { time?: unknown }
    return Date.parse(String(time)) || wallMs()
  } catch {
    return wallMs()
  }
}

/** Time of the first record; undefined without one. */
const readFirstTime = async (path: string): Promise<number | undefined> => {
  const lines = createInterface({ input: createReadStream(path) })
  try {
    for await (const line of lines) return readTime(line)
  } finally {
    lines.close()
  }
  return undefined
}

/** Deletes closed files whose last record is older than `time` milliseconds. */
const removeOld = async (path: string, time: number): Promise<void> => {
  for (const number of await rotatedNumbers(path)) {
    const closed = rotatedPath(path, number)
    const { mtimeMs } = await stat(closed)
    if (mtimeMs < retentionMs() - time) await rm(closed, { force: true })
  }
}

export class Keeper {
  readonly #path: string
  readonly #retention: Retention
  #firstTime: number | undefined
  #tryAt = 0

  private constructor(path: string, retention: Retention, firstTime: number | undefined) {
    this.#path = path
    this.#retention = retention
    this.#firstTime = firstTime
  }

  static async open(path: string, retention: Retention): Promise<Keeper> {
    const keeper = new Keeper(path, retention, await readFirstTime(path))
    await keeper.clean()
    return keeper
  }

  /** Closes the current file under a numbered name when it is old or large enough. On failure the file stays in use. */
  async rotateIfDue(size: number): Promise<void> {
    const now = wallMs()
    this.#firstTime ??= now
    const { time, maxFileSize = limits.journalFile } = this.#retention
    // Far before its beginning the clock was set back: the file would stay open for as long as the step, and its records beyond their time.
    const isOld = Math.abs(now - this.#firstTime) > Math.min(limits.callsFileTime, time / 8)
    if (size === 0 || performance.now() < this.#tryAt || !(isOld || size > maxFileSize)) return
    try {
      const last = (await rotatedNumbers(this.#path)).at(-1) ?? 0
      await rename(this.#path, rotatedPath(this.#path, last + 1))
      this.#firstTime = now
      await this.clean()
    } catch {
      this.#tryAt = performance.now() + retryTime
    }
  }

  async clean(): Promise<void> {
    await removeOld(this.#path, this.#retention.time).catch(() => undefined)
  }
}
