// Slots whose record was written before the process that filled them ended.
import { readRecords } from './read-records.ts'
import type { Slot } from './slot-file.ts'

/** A slot is cleared right after its record: what was recorded stands near the end. */
const most = { lines: 20_000, bytes: 8 * 1024 * 1024 }

const idOf = (value: unknown): unknown => (typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined)

export const findRecorded = async (path: string, slots: readonly Slot[]): Promise<ReadonlySet<Slot>> => {
  const byId = new Map(slots.map((slot) => [idOf(slot.noted), slot]))
  if (slots.length === 0) return new Set()
  const { items } = await readRecords(path, { isWanted: (record) => byId.has(idOf(record)), limit: slots.length, most })
  return new Set(items.flatMap((record) => byId.get(idOf(record)) ?? []))
}
