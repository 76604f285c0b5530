// What the journal says of freezes, and what each such line does to the database.
import { AgentGroupID, Freeze } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Projection, Projections } from '../ledger/projection.ts'
import { scopeOf } from './freezes.ts'

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
