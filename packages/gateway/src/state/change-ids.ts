// Change ids: UTC to the nanosecond, always greater than the last one.
import { ChangeID } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'

export interface ChangeIds {
  /** `at` is the time of the clock, which may be before the time of the id. */
  next(): { id: ChangeID; at: string }
  /** Continues after the last id in the database. */
  resume(): Promise<void>
}

const perMilli = 1_000_000n
const perSecond = 1_000_000_000n

const format = (nanos: bigint): ChangeID => {
  const stamp = new Date(Number(nanos / perMilli)).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  return v.parse(ChangeID, `chg_${stamp}.${String(nanos % perSecond).padStart(9, '0')}`)
}

/** The smallest id of this time. @param time milliseconds since the epoch */
export const firstIdAt = (time: number): ChangeID => format(BigInt(Math.max(0, Math.trunc(time))) * perMilli)

const parseNanos = (id: string): bigint => {
  const [, year, month, day, hour, minute, second, fraction] = /^chg_(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\.(\d{9})$/.exec(id) ?? []
  if (fraction === undefined) throw new TypeError(`expected a change id, got ${id}`)
  return BigInt(Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`)) * perMilli + BigInt(fraction)
}

/** The time in an id, in milliseconds since the epoch. */
export const parseIdTime = (id: string): number => Number(parseNanos(id) / perMilli)

export const createChangeIds = (rows: Rows, clock: () => number): ChangeIds => {
  let last = 0n
  return {
    next: () => {
      const now = clock()
      const nanos = BigInt(now) * perMilli
      last = nanos > last ? nanos : last + 1n
      return { id: format(last), at: new Date(now).toISOString() }
    },
    resume: async () => {
      const row = await rows.get<{ id: string | null }>('SELECT max(id) AS id FROM changes')
      const stored = row?.id ? parseNanos(row.id) : 0n
      if (stored > last) last = stored
    },
  }
}
