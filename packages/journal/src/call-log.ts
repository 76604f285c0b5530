// A log of calls, over a file of records: a call is noted in a slot while it runs, and becomes one record before its answer is sent.
// A record that the disk does not take is kept and written before the next one; its slot keeps it for the next start.
import { limits } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { RecordPosition } from './read-records.ts'
import type { Records } from './records.ts'
import type { Slot } from './slot-file.ts'

/** Beyond it the oldest are left to their slots, and so to the next start. */
const maxPending = 256

interface PendingRecord {
  readonly record: object
  readonly slot: Slot | undefined
}

/** A slot that cannot be cleared is found recorded by the next start. */
const clear = (slot: Slot | undefined): void => {
  try {
    slot?.clear()
  } catch {
    // The record is written, which is what was promised.
  }
}

export interface CallLogOptions {
  readonly records: Pick<Records, 'begin' | 'append' | 'unfinished'>
  /** Something could not be written; `isFirst` since the last record that could. */
  readonly onUnwritable: (error: unknown, isFirst: boolean) => void
}

export class CallLog {
  readonly #options: CallLogOptions
  #pending: readonly PendingRecord[] = []
  #isWritable = true

  constructor(options: CallLogOptions) {
    this.#options = options
  }

  /** False from a note or record that could not be written to the next record that could: no call is made in the meantime. */
  get isWritable(): boolean {
    return this.#isWritable
  }

  /** Notes a call that begins. Throws `audit-unwritable`. */
  begin(note: { readonly id: string }): Slot {
    return this.#attempt(() => this.#options.records.begin(note))
  }

  /** Notes something else about the same call. Throws when it cannot be written. */
  change(slot: Slot, note: object): void {
    this.#attempt(() => slot.change(note))
  }

  /** Writes those that are pending, oldest first, and then this one. Rejects when the record is not in the file: it is pending then. */
  async write(record: object, slot: Slot | undefined): Promise<void> {
    const all = [...this.#pending, { record, slot }]
    this.#pending = []
    const written = await Promise.allSettled(all.map((each) => this.#options.records.append(each.record)))
    const isWritten = (_: PendingRecord, at: number): boolean => written[at]?.status === 'fulfilled'
    for (const each of all.filter(isWritten)) clear(each.slot)
    const left = all.filter((each, at) => !isWritten(each, at))
    this.#pending = [...left, ...this.#pending].slice(-maxPending)
    const own = written.at(-1)
    if (own?.status === 'rejected') throw this.#unwritable(own.reason)
    this.#isWritable = true
  }

  /**
   * Settles each call that an earlier process left unfinished: whether it took effect is unknown. `settle` writes its record, or returns
   * undefined for a note that is none, which is dropped. A record that cannot be written now is pending.
   */
  async recover(settle: (note: unknown, slot: Slot) => Promise<void> | undefined): Promise<void> {
    for (const slot of this.#options.records.unfinished) {
      const writing = settle(slot.noted, slot)
      if (writing === undefined) slot.clear()
      else await writing.catch(() => undefined)
    }
  }

  #attempt<T>(act: () => T): T {
    try {
      return act()
    } catch (error) {
      throw this.#unwritable(error)
    }
  }

  #unwritable(error: unknown): unknown {
    this.#options.onUnwritable(error, this.#isWritable)
    this.#isWritable = false
    return error
  }
}

interface CallQuery<T> {
  readonly schema: v.GenericSchema<unknown, T>
  readonly matches: (record: T) => boolean
  readonly limit: number
  readonly before: RecordPosition | undefined
}

/** Lines and bytes that one query looks through. */
export const callsPerQuery = { lines: limits.callsLines, bytes: limits.callsBytes }

/** The newest records that match. A page may be empty and still have a next position: the search goes on from there. */
export const readCalls = async <T>(
  records: Pick<Records, 'read'>,
  { schema, matches, limit, before }: CallQuery<T>,
): Promise<{ readonly items: T[]; readonly next?: RecordPosition }> => {
  const isWanted = (value: unknown): boolean => {
    const parsed = v.safeParse(schema, value)
    return parsed.success && matches(parsed.output)
  }
  const { items, next } = await records.read({ isWanted, limit, before, max: callsPerQuery })
  return { items: v.parse(v.array(schema), items), ...(next !== undefined && { next }) }
}
