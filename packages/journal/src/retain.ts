// Closed files of records: when the present one is closed, what it is called then, and when a closed one is removed.
import { createReadStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { limits } from '@gatehouse/contracts'
import { Believed, type Source } from './believed.ts'
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
    return Date.parse(String(time)) || Date.now()
  } catch {
    return Date.now()
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

interface Closed {
  readonly path: string
  /** When its last record was written. */
  readonly at: number
}

const closedFiles = async (path: string): Promise<Closed[]> =>
  Promise.all(
    (await rotatedNumbers(path)).map(async (number) => {
      const closed = rotatedPath(path, number)
      return { path: closed, at: (await stat(closed)).mtimeMs }
    }),
  )

const writtenAt = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size, mtimeMs }) => (size === 0 ? undefined : mtimeMs),
    () => undefined,
  )

/** Milliseconds that one file is written. */
const spanOf = ({ time }: Retention): number => Math.min(limits.callsFileTime, time / 8)

export class Keeper {
  readonly #path: string
  readonly #retention: Retention
  readonly #believed: Believed
  #began: number | undefined
  #tryAt = 0

  private constructor(path: string, retention: Retention, seen: { began: number | undefined; believed: Believed }) {
    this.#path = path
    this.#retention = retention
    this.#began = seen.began
    this.#believed = seen.believed
  }

  static async open(path: string, retention: Retention, source?: Source): Promise<Keeper> {
    const [closed, began, written] = await Promise.all([closedFiles(path).catch(() => []), beganAt(path), writtenAt(path)])
    const seen = [...closed.map(({ at }) => at), began, written].filter((time) => time !== undefined)
    const keeper = new Keeper(path, retention, { began, believed: new Believed(spanOf(retention), seen, source) })
    await keeper.clean()
    return keeper
  }

  /** Gives the present file another name when its time has come. What stays in place goes on being written. */
  async makeReady(size: number): Promise<void> {
    const now = Date.now()
    this.#began ??= now
    const { most = limits.journalFile } = this.#retention
    const isOld = now - this.#began > spanOf(this.#retention)
    if (size === 0 || now < this.#tryAt || !(isOld || size > most)) return
    try {
      const last = (await rotatedNumbers(this.#path)).at(-1) ?? 0
      await rename(this.#path, rotatedPath(this.#path, last + 1))
      this.#began = now
      await this.clean()
    } catch {
      this.#tryAt = now + retryTime
    }
  }

  /** Removes closed files whose last record is too old; none for a while after the clock leapt. */
  async clean(): Promise<void> {
    const { isBelieved, now } = this.#believed.look()
    if (!isBelieved) return
    const closed = await closedFiles(this.#path).catch(() => [])
    for (const { path, at } of closed) if (at < now - this.#retention.time) await rm(path, { force: true }).catch(() => undefined)
  }
}
