// Records of calls as JSON lines: written before an append resolves, synced to disk within 200 ms, not chained. A call in progress has a
// slot until its record is written, so that a killed process leaves a trace of it.
import { dirname } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import { type ReadOptions, readRecords, type RecordPage } from './read-records.ts'
import { openRecordFile, type RecordFile, watchRoom } from './record-file.ts'
import { Keeper, type Retention } from './retain.ts'
import { openSlotFile, type Slot, type SlotFile } from './slot-file.ts'

/** A slot is cleared right after its record is written, so the records of filled slots are near the end. */
const searchLimits = { lines: 20_000, bytes: 8 * 1024 * 1024 }

const readID = (value: unknown): unknown => (typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined)

const findRecorded = async (path: string, slots: readonly Slot[]): Promise<ReadonlySet<Slot>> => {
  const byId = new Map(slots.map((slot) => [readID(slot.noted), slot]))
  if (slots.length === 0) return new Set()
  const { items } = await readRecords(path, { isWanted: (record) => byId.has(readID(record)), limit: slots.length, max: searchLimits })
  return new Set(items.flatMap((record) => byId.get(readID(record)) ?? []))
}

export interface Records {
  /** Slots of calls that an earlier process began and did not record. Each needs a record with the `id` in its slot. */
  readonly unfinished: readonly Slot[]
  /** Fills a slot. The caller clears it when the record with the same `id` is appended. Throws `audit-unwritable`. */
  begin(call: { readonly id: string }): Slot
  /** Resolves when the record is written. Rejects with `audit-unwritable` while the file cannot be written or synced. */
  append(record: object): Promise<void>
  /** Reads records from all files, newest first. */
  read(options: ReadOptions): Promise<RecordPage>
  /** Writes the queued records and closes. All records are on disk when it resolves. */
  close(): Promise<void>
}

export interface RecordsOptions {
  readonly path: string
  /** Without it all records stay in one file. */
  readonly retention?: Retention
}

interface QueuedRecord {
  readonly line: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Parts {
  readonly file: RecordFile
  readonly slots: SlotFile
  readonly rotation: Keeper | undefined
  readonly unfinished: readonly Slot[]
}

const syncTime = 100
const cleanTime = 60 * 60_000

const unwritable = (path: string, cause: unknown): ServiceError =>
  new ServiceError('audit-unwritable', {
    detail: `${path}: cannot write records`,
    hint: 'free disk space or repair the disk; recording resumes automatically',
    cause,
  })

class Recorder implements Records {
  readonly unfinished: readonly Slot[]
  readonly #path: string
  readonly #file: RecordFile
  readonly #slots: SlotFile
  readonly #rotation: Keeper | undefined
  readonly #hasRoom: () => boolean
  readonly #cleaning: NodeJS.Timeout
  #queue: QueuedRecord[] = []
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #syncFault: unknown
  #closed = false

  constructor(path: string, { file, slots, rotation, unfinished }: Parts) {
    this.#path = path
    this.#file = file
    this.#slots = slots
    this.#rotation = rotation
    this.unfinished = unfinished
    this.#hasRoom = watchRoom(dirname(path))
    this.#cleaning = setInterval(() => void rotation?.clean(), cleanTime).unref()
  }

  begin(call: { readonly id: string }): Slot {
    const fault = this.#fault()
    if (fault !== undefined) throw fault
    try {
      const slot = this.#slots.take(call)
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
      this.#queue.push({ line, resolve, reject })
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
    return this.#hasRoom() ? undefined : unwritable(this.#path, new Error('the remaining disk space is reserved for the journal'))
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      // Records of one turn of the event loop share a write.
      await new Promise((resolve) => void setImmediate(resolve))
      await this.#flush()
    }
    this.#running = undefined
  }

  async #flush(): Promise<void> {
    const queued = this.#queue
    this.#queue = []
    try {
      await this.#rotation?.rotateIfDue(this.#file.size)
      await this.#file.write(Buffer.from(queued.map(({ line }) => `${line}\n`).join('')))
      this.#timer ??= this.#syncLater()
      for (const { resolve } of queued) resolve()
    } catch (error) {
      const refusal = unwritable(this.#path, error)
      for (const { reject } of queued) reject(refusal)
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
const slotPath = (path: string): string => `${path.replace(/\.jsonl$/, '')}.inflight`

/** Opens the records and truncates a torn last line. A file that is moved away is created again at the next record. */
export const openRecords = async ({ path, retention }: RecordsOptions): Promise<Records> => {
  const file = await openRecordFile(path)
  const slots = openSlotFile(slotPath(path))
  const rotation = retention && (await Keeper.open(path, retention))
  const recorded = await findRecorded(path, slots.left)
  for (const slot of recorded) slot.clear()
  const unfinished = slots.left.filter((slot) => !recorded.has(slot))
  return new Recorder(path, { file, slots, rotation, unfinished })
}
