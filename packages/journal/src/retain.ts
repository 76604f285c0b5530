// Closed files of records: when the present one is closed, what it is called then, and when a closed one is removed.
import { createReadStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { limits } from '@gatehouse/contracts'
import { retentionMs, wallMs } from '@gatehouse/kernel'
import { rotatedNumbers, rotatedPath } from './rotated.ts'

export interface Retention {
  /** Milliseconds. */
  readonly time: number
  /** Bytes beyond which a file is closed. */
  readonly most?: number
}

/** A file that could not be closed is tried again after this. */
const retryTime = 60_000

const timeOf = (line: string): number => {
  try {
    const { time } = JSON.parse(line) as { time?: unknown }
    return Date.parse(String(time)) || wallMs()
  } catch {
    return wallMs()
  }
}

/** Of the first record; undefined without one. */
const beganAt = async (path: string): Promise<number | undefined> => {
  const lines = createInterface({ input: createReadStream(path) })
  try {
    for await (const line of lines) return timeOf(line)
  } finally {
    lines.close()
  }
  return undefined
}

/** Closed files whose last record is older than the time. */
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
  #began: number | undefined
  #tryAt = 0

  private constructor(path: string, retention: Retention, began: number | undefined) {
    this.#path = path
    this.#retention = retention
    this.#began = began
  }

  static async open(path: string, retention: Retention): Promise<Keeper> {
    const keeper = new Keeper(path, retention, await beganAt(path))
    await keeper.clean()
    return keeper
  }

  /** Gives the present file another name when its time has come. What stays in place goes on being written. */
  async makeReady(size: number): Promise<void> {
    const now = wallMs()
    this.#began ??= now
    const { time, most = limits.journalFile } = this.#retention
    const isOld = now - this.#began > Math.min(limits.callsFileTime, time / 8)
    if (size === 0 || performance.now() < this.#tryAt || !(isOld || size > most)) return
    try {
      const last = (await rotatedNumbers(this.#path)).at(-1) ?? 0
      await rename(this.#path, rotatedPath(this.#path, last + 1))
      this.#began = now
      await this.clean()
    } catch {
      this.#tryAt = performance.now() + retryTime
    }
  }

  async clean(): Promise<void> {
    await removeOld(this.#path, this.#retention.time).catch(() => undefined)
  }
}
