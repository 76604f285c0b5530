// What of an agent's powers would come, go, be under other terms, and stay.
import type { Power, Reach } from '@gatehouse/contracts'
import type { Turn } from '../../parts/diff/turn.ts'

export interface Turned {
  readonly power: Power
  readonly turn: Turn
  /** The terms before, of what stays under others. */
  readonly before?: Power
}

const keyOf = ({ area, name }: Power): string => `${area} ${name}`
const termsOf = ({ detail, marks }: Power): string => JSON.stringify([detail, marks])

const turnOf = (power: Power, before: Power | undefined): Turned => {
  // A bound is no power: it is there in any case, under its own terms or the usual ones.
  if (before === undefined) return { power, turn: power.area === 'limit' ? 'changed' : 'gained' }
  return termsOf(before) === termsOf(power) ? { power, turn: 'kept' } : { power, turn: 'changed', before }
}

export const turned = ({ can, could }: Pick<Reach, 'can' | 'could'>): Turned[] => {
  const had = new Map((can ?? []).map((power) => [keyOf(power), power]))
  const has = new Set((could ?? []).map(keyOf))
  return [
    ...(could ?? []).map((power) => turnOf(power, had.get(keyOf(power)))),
    ...(can ?? []).filter((power) => !has.has(keyOf(power))).map((power): Turned => ({ power, turn: 'lost' })),
  ]
}
