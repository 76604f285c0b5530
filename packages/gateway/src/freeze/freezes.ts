// What is frozen, in memory: asked before every call, launch and apply.
import { Freeze } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'
import { stands } from '../ledger/act.ts'

export interface Freezes {
  /** What stops this group now: the freeze of the unit before its own. */
  of(agentGroupID: string): Freeze | undefined
  /** The freeze of exactly this scope; undefined for the whole unit. */
  at(agentGroupID: string | undefined): Freeze | undefined
  /** The unit's first. */
  all(): Freeze[]
  set(freeze: Freeze): void
  /** This freeze ends once the line of the act stands. One that is set meanwhile is another one, and stays. */
  lift(freeze: Freeze, act: () => Promise<unknown>): Promise<void>
  isBeingLifted(freeze: Freeze): boolean
  load(rows: Rows): Promise<void>
}

/** No group has this id. */
const unit = ''
export const scopeOf = (agentGroupID: string | undefined): string => agentGroupID ?? unit

export const createFreezes = (): Freezes => {
  const freezes = new Map<string, Freeze>()
  const lifting = new Set<Freeze>()
  const set = (freeze: Freeze): void => void freezes.set(scopeOf(freeze.agentGroupID), freeze)
  const end = (freeze: Freeze): void => {
    const scope = scopeOf(freeze.agentGroupID)
    if (freezes.get(scope) === freeze) freezes.delete(scope)
  }
  return {
    of: (agentGroupID) => freezes.get(unit) ?? freezes.get(agentGroupID),
    at: (agentGroupID) => freezes.get(scopeOf(agentGroupID)),
    all: () => [...freezes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, freeze]) => freeze),
    set,
    lift: async (freeze, act) => {
      lifting.add(freeze)
      try {
        await act()
        end(freeze)
      } catch (error) {
        if (stands(error)) end(freeze)
        throw error
      } finally {
        lifting.delete(freeze)
      }
    },
    isBeingLifted: (freeze) => lifting.has(freeze),
    load: async (rows) => {
      const found = await rows.all<{ record: string }>('SELECT record FROM freezes')
      freezes.clear()
      for (const { record } of found) set(v.parse(Freeze, JSON.parse(record)))
    },
  }
}
