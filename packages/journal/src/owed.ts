// Records that a disk did not take. They wait, and are written before the next one; their slots keep word of them meanwhile.
import type { Records } from './records.ts'
import type { Slot } from './slot-file.ts'

/** Beyond it the oldest are left to their slots, and so to the next start. */
const mostOwed = 256

export interface RecordInSlot {
  readonly record: object
  readonly slot: Slot | undefined
}

/** One that keeps its word is found recorded by the next start. */
const clear = (slot: Slot | undefined): void => {
  try {
    slot?.clear()
  } catch {
    // The record is written, which is what was promised.
  }
}

export class OwedRecords {
  readonly #records: Pick<Records, 'append'>
  #owed: readonly RecordInSlot[] = []

  constructor(records: Pick<Records, 'append'>) {
    this.#records = records
  }

  /** With those that are owed, the oldest first. Rejects when the record is not in the file: it is owed then. */
  async write(last: RecordInSlot): Promise<void> {
    const all = [...this.#owed, last]
    this.#owed = []
    const written = await Promise.allSettled(all.map(({ record }) => this.#records.append(record)))
    const isWritten = (_: RecordInSlot, at: number): boolean => written[at]?.status === 'fulfilled'
    for (const { slot } of all.filter(isWritten)) clear(slot)
    const left = all.filter((each, at) => !isWritten(each, at))
    this.#owed = [...left, ...this.#owed].slice(-mostOwed)
    const own = written.at(-1)
    if (own?.status === 'rejected') throw own.reason
  }
}
