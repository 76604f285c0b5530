// All disks that groups of a unit can have, and the turn of whoever changes which group has which.
import { KeyedTurns } from '@gatehouse/kernel'
import type { PremadePrograms } from './programs.ts'

export interface Pool {
  /** Without links. */
  readonly directory: string
  readonly programs: PremadePrograms
}

export interface GroupPlace {
  /** Directory of all groups, with no link on its way. */
  readonly groups: string
  readonly group: string
}

const turns = new KeyedTurns()

/** Whoever chooses a disk or gives one back. Never called in such a turn. */
export const inPoolTurn = <T>({ directory }: Pool, act: () => Promise<T>): Promise<T> => turns.run(directory, act)
