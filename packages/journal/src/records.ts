// Records of calls as JSON lines: with the kernel before an append resolves, on disk within 200 ms. Not chained. What was begun
// stands in a slot until its record is written, so that a process that is killed leaves word of it.
import { dirname } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import { type ReadOptions, readRecords, type RecordPage } from './read-records.ts'
import { openRecordFile, type RecordFile, watchRoom } from './record-file.ts'
import { Keeper, type Retention } from './retain.ts'
import { openSlotFile, type Slot, type SlotFile } from './slot-file.ts'

/** A slot is cleared right after its record: what was recorded stands near the end. */
const most = { lines: 20_000, bytes: 8 * 1024 * 1024 }

const idOf = (value: unknown): unknown => (typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined)

const findRecorded = async (path: string, slots: readonly Slot[]): Promise<ReadonlySet<Slot>> => {
  const byId = new Map(slots.map((slot) => [idOf(slot.noted), slot]))
  if (slots.length === 0) return new Set()
  const { items } = await readRecords(path, { isWanted: (record) => byId.has(idOf(record)), limit: slots.length, most })
  return new Set(items.flatMap((record) => byId.get(idOf(record)) ?? []))
}

export interface Records {
  /** What an earlier process began and did not record: each wants a record with the `id` that it was noted with. */
  readonly unfinished: readonly Slot[]
  /** To be cleared when its record, with the same `id`, is appended. Throws `audit-unwritable`. */
  begin(noted: { readonly id: string }): Slot
  /** Written when it resolves; rejects with `audit-unwritable` while the file cannot be written or synced. */
  append(record: object): Promise<void>
  /** Newest first, over all files that are kept. */
  read(options: ReadOptions): Promise<RecordPage>
  /** After the records that wait; on disk when it resolves. */
  close(): Promise<void>
}

export interface RecordsOptions {
  readonly path: string
  /** Without it all is kept in one file. */
  readonly retention?: Retention
}

interface Waiting {
  readonly line: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Parts {
  readonly file: RecordFile
  readonly slots: SlotFile
  readonly keeper: Keeper | undefined
  readonly unfinished: readonly Slot[]
}

const syncTime = 100
const cleanTime = 60 * 60_000

const unwritable = (path: string, cause: unknown): ServiceError =>
  new ServiceError('audit-unwritable', {
    detail: `${path}: records cannot be written`,
    hint: 'free disk space or mend the disk; recording goes on by itself',
    cause,
  })

class Recorder implements Records {
  readonly unfinished: readonly Slot[]
  readonly #path: string
  readonly #file: RecordFile
  readonly #slots: SlotFile
  readonly #keeper: Keeper | undefined
  readonly #hasRoom: () => boolean
  readonly #cleaning: NodeJS.Timeout
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #syncFault: unknown
  #closed = false

  constructor(path: string, { file, slots, keeper, unfinished }: Parts) {
    this.#path = path
    this.#file = file
    this.#slots = slots
    this.#keeper = keeper
    this.unfinished = unfinished
    this.#hasRoom = watchRoom(dirname(path))
    this.#cleaning = setInterval(() => void keeper?.clean(), cleanTime).unref()
  }

  begin(noted: { readonly id: string }): Slot {
    const fault = this.#fault()
    if (fault !== undefined) throw fault
    try {
      const slot = this.#slots.take(noted)
      this.#timer ??= this.#syncLater()
      return slot
    } catch (error) {
      throw unwritable(this.#path, error)
    }
  }

  append(record: object): Promise<void> {
    const line = JSON.stringify(record)
    const fault = this.#fault()
    if (fault !== undefined) return Promise.reject(fault)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, resolve, reject })
      this.#running ??= this.#run()
    })
  }

  read(options: ReadOptions): Promise<RecordPage> {
    return readRecords(this.#path, options)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#running
    clearTimeout(this.#timer)
    clearInterval(this.#cleaning)
    await this.#file.close()
    this.#slots.close()
  }

  #fault(): ServiceError | undefined {
    if (this.#closed) return new ServiceError('unavailable', { detail: `${this.#path}: closed` })
    if (this.#syncFault !== undefined) return unwritable(this.#path, this.#syncFault)
    return this.#hasRoom() ? undefined : unwritable(this.#path, new Error('what is left of the disk is for the journal'))
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Records of one turn of the event loop share a write.
      await new Promise((resolve) => void setImmediate(resolve))
      await this.#flush()
    }
    this.#running = undefined
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    try {
      await this.#keeper?.makeReady(this.#file.size)
      await this.#file.write(Buffer.from(waiting.map(({ line }) => `${line}\n`).join('')))
      this.#timer ??= this.#syncLater()
      for (const { resolve } of waiting) resolve()
    } catch (error) {
      const refusal = unwritable(this.#path, error)
      for (const { reject } of waiting) reject(refusal)
    }
  }

  #syncLater(): NodeJS.Timeout {
    return setTimeout(() => {
      Promise.all([this.#file.sync(), this.#slots.isUsed ? this.#slots.sync() : undefined]).then(
        () => this.#synced(undefined),
        (error: unknown) => this.#synced(error),
      )
    }, syncTime).unref()
  }

  #synced(fault: unknown): void {
    this.#syncFault = fault
    this.#timer = fault === undefined || this.#closed ? undefined : this.#syncLater()
  }
}

/** `calls.inflight` beside `calls.jsonl`. */
const slotsOf = (path: string): string => `${path.replace(/\.jsonl$/, '')}.inflight`

/** Cuts a torn last line off. A file that is moved away is made anew at the next record. */
export const openRecords = async ({ path, retention }: RecordsOptions): Promise<Records> => {
  const file = await openRecordFile(path)
  const slots = openSlotFile(slotsOf(path))
  const keeper = retention && (await Keeper.open(path, retention))
  const recorded = await findRecorded(path, slots.left)
  for (const slot of recorded) slot.clear()
  const unfinished = slots.left.filter((slot) => !recorded.has(slot))
  return new Recorder(path, { file, slots, keeper, unfinished })
}
