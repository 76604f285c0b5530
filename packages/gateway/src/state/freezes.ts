// Active freezes, in memory: checked before every call, launch and apply.
import { AgentGroupID, Freeze } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'
import { isJournaled } from '../ledger/append.ts'
import type { Projection, Projections } from '../ledger/projection.ts'

export interface Freezes {
  /** The freeze that applies to this group: the freeze of the unit, or its own. */
  of(agentGroupID: string): Freeze | undefined
  /** The freeze of exactly this scope; undefined for the whole unit. */
  at(agentGroupID: string | undefined): Freeze | undefined
  /** All freezes, that of the unit first. */
  all(): Freeze[]
  set(freeze: Freeze): void
  /** Lifts this freeze once the act is journaled. A freeze that is set in the meantime stays. */
  lift(freeze: Freeze, act: () => Promise<unknown>): Promise<void>
  isBeingLifted(freeze: Freeze): boolean
  load(rows: Rows): Promise<void>
}

/** The scope of the whole unit. Not a valid group id. */
const unit = ''
const getScope = (agentGroupID: string | undefined): string => agentGroupID ?? unit

export const createFreezes = (): Freezes => {
  const freezes = new Map<string, Freeze>()
  const lifting = new Set<Freeze>()
  const set = (freeze: Freeze): void => void freezes.set(getScope(freeze.agentGroupID), freeze)
  const end = (freeze: Freeze): void => {
    const scope = getScope(freeze.agentGroupID)
    if (freezes.get(scope) === freeze) freezes.delete(scope)
  }
  return {
    of: (agentGroupID) => freezes.get(unit) ?? freezes.get(agentGroupID),
    at: (agentGroupID) => freezes.get(getScope(agentGroupID)),
    all: () => [...freezes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, freeze]) => freeze),
    set,
    lift: async (freeze, act) => {
      lifting.add(freeze)
      try {
        await act()
        end(freeze)
      } catch (error) {
        if (isJournaled(error)) end(freeze)
        throw error
      } finally {
        lifting.delete(freeze)
      }
    },
    isBeingLifted: (freeze) => lifting.has(freeze),
    load: async (rows) => {
      const records = await rows.all<{ record: string }>('SELECT record FROM freezes')
      freezes.clear()
      for (const { record } of records) set(v.parse(Freeze, JSON.parse(record)))
    },
  }
}

const FreezeDetail = v.looseObject({ freeze: Freeze })
const UnfreezeDetail = v.strictObject({ agentGroupID: v.optional(AgentGroupID), reason: v.string() })

const frozen: Projection = async (tx, entry) => {
  const { freeze } = v.parse(FreezeDetail, entry.detail)
  await tx.run('INSERT INTO freezes (scope, record) VALUES (?, ?) ON CONFLICT (scope) DO NOTHING', [
    getScope(freeze.agentGroupID),
    JSON.stringify(freeze),
  ])
}

const lifted: Projection = async (tx, entry) => {
  const { agentGroupID } = v.parse(UnfreezeDetail, entry.detail)
  await tx.run('DELETE FROM freezes WHERE scope = ?', [getScope(agentGroupID)])
}

export const freezeProjections: Projections = { freeze: frozen, unfreeze: lifted }
