// Records that could not be written. They are written before the next record; until then their slots keep them across restarts.
import type { Records } from './records.ts'
import type { Slot } from './slot-file.ts'

/** Beyond this number the oldest records are left to their slots, which the next start reads. */
const maxPending = 256

export interface RecordInSlot {
  readonly record: object
  readonly slot: Slot | undefined
}

/** If clearing fails, the next start finds that the record was written. */
const clear = (slot: Slot | undefined): void => {
  try {
    slot?.clear()
  } catch {
    // The record itself is written.
  }
}

export class PendingRecords {
  readonly #records: Pick<Records, 'append'>
  #pending: readonly RecordInSlot[] = []

  constructor(records: Pick<Records, 'append'>) {
    this.#records = records
  }

  /** Writes the pending records, oldest first, and then this one. Rejects when this record is not written; it is then pending. */
  async write(last: RecordInSlot): Promise<void> {
    const all = [...this.#pending, last]
    this.#pending = []
    const written = await Promise.allSettled(all.map(({ record }) => this.#records.append(record)))
    const isWritten = (_: RecordInSlot, at: number): boolean => written[at]?.status === 'fulfilled'
    for (const { slot } of all.filter(isWritten)) clear(slot)
    const unwritten = all.filter((each, at) => !isWritten(each, at))
    this.#pending = [...unwritten, ...this.#pending].slice(-maxPending)
    const result = written.at(-1)
    if (result?.status === 'rejected') throw result.reason
  }
}
