// Active freezes, in memory: checked before every call, launch and apply.
import { AgentGroupID, Freeze } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'
import { stands } from '../ledger/append.ts'
import type { Projection, Projections } from '../ledger/projection.ts'

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
const scopeOf = (agentGroupID: string | undefined): string => agentGroupID ?? unit

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

/** What the journal says of freezes, and what each such line does to the database. */
const FreezeDetail = v.looseObject({ freeze: Freeze })
const UnfreezeDetail = v.strictObject({ agentGroupID: v.optional(AgentGroupID), reason: v.string() })

const frozen: Projection = async (tx, entry) => {
  const { freeze } = v.parse(FreezeDetail, entry.detail)
  await tx.run('INSERT INTO freezes (scope, record) VALUES (?, ?) ON CONFLICT (scope) DO NOTHING', [
    scopeOf(freeze.agentGroupID),
    JSON.stringify(freeze),
  ])
}

const lifted: Projection = async (tx, entry) => {
  const { agentGroupID } = v.parse(UnfreezeDetail, entry.detail)
  await tx.run('DELETE FROM freezes WHERE scope = ?', [scopeOf(agentGroupID)])
}

export const freezeProjections: Projections = { freeze: frozen, unfreeze: lifted }
