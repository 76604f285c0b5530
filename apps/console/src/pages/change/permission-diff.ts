// The difference of the permissions of an agent: gained, lost, changed and kept. Pure functions.
import type { Power, Reach } from '@gatehouse/contracts'
import type { DiffMark } from '../../components/diff/diff-mark.ts'

export interface PermissionDiff {
  readonly power: Power
  readonly turn: DiffMark
  /** The terms before, of what stays under others. */
  readonly before?: Power
}

const keyOf = ({ area, name }: Power): string => `${area} ${name}`
const termsOf = ({ detail, marks }: Power): string => JSON.stringify([detail, marks])

const comparePower = (power: Power, before: Power | undefined): PermissionDiff => {
  // A bound is no power: it is there in any case, under its own terms or the usual ones.
  if (before === undefined) return { power, turn: power.area === 'limit' ? 'changed' : 'gained' }
  return termsOf(before) === termsOf(power) ? { power, turn: 'kept' } : { power, turn: 'changed', before }
}

export const diffPermissions = ({ can, could }: Pick<Reach, 'can' | 'could'>): PermissionDiff[] => {
  const had = new Map((can ?? []).map((power) => [keyOf(power), power]))
  const has = new Set((could ?? []).map(keyOf))
  return [
    ...(could ?? []).map((power) => comparePower(power, had.get(keyOf(power)))),
    ...(can ?? []).filter((power) => !has.has(keyOf(power))).map((power): PermissionDiff => ({ power, turn: 'lost' })),
  ]
}
