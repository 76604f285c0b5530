// The slice of the registry that concerns one group, read afresh for each verdict.
import { AgentGroup, type AgentGroupID, Grant } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'

/** The part of the registry that one change can see. */
export interface World {
  readonly agentGroupID: AgentGroupID
  readonly group: AgentGroup | undefined
  readonly grants: readonly Grant[]
  /** Names in the catalog; null on a unit without tool servers. */
  readonly servers: ReadonlySet<string> | null
}

interface Row {
  readonly record: string
}

const toGroup = (row: Row): AgentGroup => v.parse(AgentGroup, JSON.parse(row.record))
const toGrant = (row: Row): Grant => v.parse(Grant, JSON.parse(row.record))

export const readGroup = async (rows: Rows, id: string): Promise<AgentGroup | undefined> => {
  const row = await rows.get<Row>('SELECT record FROM groups WHERE id = ?', [id])
  return row === undefined ? undefined : toGroup(row)
}

export const readGroups = async (rows: Rows): Promise<AgentGroup[]> =>
  (await rows.all<Row>('SELECT record FROM groups ORDER BY id')).map(toGroup)

export const readGrants = async (rows: Rows): Promise<Grant[]> =>
  (await rows.all<Row>('SELECT record FROM grants ORDER BY agent_group_id, server')).map(toGrant)

/** @param servers names in the catalog; null on a unit without one */
export const readWorld = async (rows: Rows, agentGroupID: AgentGroupID, servers: ReadonlySet<string> | null): Promise<World> => {
  const group = await readGroup(rows, agentGroupID)
  const grants = await rows.all<Row>('SELECT record FROM grants WHERE agent_group_id = ? ORDER BY server', [agentGroupID])
  return { agentGroupID, group, grants: grants.map(toGrant), servers }
}

export const activeGrant = (world: World, server: string): Grant | undefined =>
  world.grants.find((grant) => grant.server === server && grant.state === 'active')

/** For kinds whose verifier runs only once the group is known to exist. */
export const presentGroup = (world: World): AgentGroup => {
  if (world.group === undefined) throw new TypeError(`the agent group ${world.agentGroupID} is verified to exist before this`)
  return world.group
}
