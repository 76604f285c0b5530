// Reads the shares of many groups at once: who asks while one reading runs joins the next, so none is told of a moment before it asked.
import type { AgentGroupID } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import { createBatches } from '../ledger/batches.ts'
import { type Share, toGrant, toGroup, toWired } from './world.ts'

export type ReadShare = (agentGroupID: AgentGroupID) => Promise<Share>

/** One statement, so that what it finds was true at one moment. */
const statement = `
  WITH wanted AS MATERIALIZED (SELECT value AS id FROM json_each(?))
  SELECT 'group' AS kind, id AS owner, '' AS place, record FROM groups WHERE id IN wanted
  UNION ALL
  SELECT 'grant', agent_group_id, server, record FROM grants WHERE agent_group_id IN wanted
  UNION ALL
  SELECT 'wiring', '', channel || ' ' || address, record FROM wirings
  ORDER BY place`

interface Found {
  readonly kind: 'group' | 'grant' | 'wiring'
  readonly owner: string
  readonly record: string
}

export const createShares = (rows: Rows): ReadShare =>
  createBatches(async (ids) => {
    const wanted = [...new Set(ids)]
    const found = await rows.all<Found>(statement, [JSON.stringify(wanted)])
    const wirings = found.filter(({ kind }) => kind === 'wiring').map(toWired)
    const shares = new Map(
      wanted.map((id) => {
        const own = found.filter(({ owner }) => owner === id)
        const [group] = own.filter(({ kind }) => kind === 'group').map(toGroup)
        return [id, { group, grants: own.filter(({ kind }) => kind === 'grant').map(toGrant), wirings }]
      }),
    )
    return ids.map((id) => shares.get(id) ?? { group: undefined, grants: [], wirings })
  })
