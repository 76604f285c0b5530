// The configuration that one change can read: its group, grants and wirings, and the settings of the unit. Read for each
// evaluation.
import { AgentGroup, type AgentGroupID, type Digest, Grant, type Mount, type Pinning, Wired } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'
import { createBatches } from '../ledger/batches.ts'

/** The context that is not part of the group's state. */
export interface UnitConfig {
  readonly agentGroupID: AgentGroupID
  /** The principal that requests the change. */
  readonly requester: string
  /** Digests of the catalog entries by name; null on a unit without tool servers. */
  readonly servers: ReadonlyMap<string, Digest> | null
  /** Names of tool servers for which any group holds an active grant, whether configured or not. */
  readonly granted: ReadonlySet<string>
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly config: {
    /** Host paths below which mounts are allowed. */
    readonly mountAllow: readonly string[]
    /** State directory, run directory and catalog file of the unit, as configured and with links resolved. */
    readonly ownPaths: readonly string[]
    readonly pinning: Pinning
    /** Model providers that the unit has a key for. */
    readonly models: readonly string[]
    /** Whether external clients are allowed. */
    readonly mcpEndpoint: boolean
  }
}

/** The stored configuration that concerns one group. */
export interface GroupState {
  readonly group: AgentGroup | undefined
  /** The grants of the group, by server. */
  readonly grants: readonly Grant[]
  /** All wirings of the unit, because an address can be routed to only one group. */
  readonly wirings: readonly Wired[]
}

export interface OtherGroupMount extends Mount {
  /** The resolved path at the last inspection; absent if it was not inspected or did not exist. */
  readonly real?: string | undefined
}

export interface ChangeContext extends UnitConfig, GroupState {
  /** Mounts of all other groups, only for a change of mounts. */
  readonly otherGroupMounts?: readonly OtherGroupMount[]
}

interface Row {
  readonly record: string
}

const toGroup = (row: Row): AgentGroup => v.parse(AgentGroup, JSON.parse(row.record))
const toGrant = (row: Row): Grant => v.parse(Grant, JSON.parse(row.record))

const toWired = (row: Row): Wired => v.parse(Wired, JSON.parse(row.record))

export const readGroup = async (rows: Rows, id: string): Promise<AgentGroup | undefined> => {
  const row = await rows.get<Row>('SELECT record FROM groups WHERE id = ?', [id])
  return row === undefined ? undefined : toGroup(row)
}

export const readGroups = async (rows: Rows): Promise<AgentGroup[]> =>
  (await rows.all<Row>('SELECT record FROM groups ORDER BY id')).map(toGroup)

/** The mounts of all groups except one. */
export const readOtherGroupMounts = async (rows: Rows, id: string): Promise<Mount[]> =>
  (await readGroups(rows)).flatMap((group) => (group.id === id ? [] : group.mounts))

export interface LimitedGrant {
  readonly grant: Grant
  /** The limit of the grant's group; undefined if it has none. */
  readonly callsPerMinute: number | undefined
}

/** Reads grants and limits in one consistent snapshot. */
export const readLimitedGrants = async (rows: Rows): Promise<LimitedGrant[]> => {
  const found = await rows.all<Row & { readonly rate: number | null }>(
    `SELECT grants.record, groups.record ->> '$.limits.callsPerMinute' AS rate
     FROM grants LEFT JOIN groups ON groups.id = grants.agent_group_id ORDER BY grants.agent_group_id, grants.server`,
  )
  return found.map((row) => ({ grant: toGrant(row), callsPerMinute: row.rate ?? undefined }))
}

export const readGrants = async (rows: Rows): Promise<Grant[]> =>
  (await rows.all<Row>('SELECT record FROM grants ORDER BY agent_group_id, server')).map(toGrant)

export const readGrant = async (
  rows: Rows,
  place: { readonly agentGroupID: string; readonly server: string },
): Promise<Grant | undefined> => {
  const row = await rows.get<Row>('SELECT record FROM grants WHERE agent_group_id = ? AND server = ?', [place.agentGroupID, place.server])
  return row === undefined ? undefined : toGrant(row)
}

export const readWirings = async (rows: Rows): Promise<Wired[]> =>
  (await rows.all<Row>('SELECT record FROM wirings ORDER BY channel, address')).map(toWired)

/** An active or suspended grant, which can be revoked. */
export const activeGrant = (context: ChangeContext, server: string): Grant | undefined =>
  context.grants.find((grant) => grant.server === server && grant.state !== 'revoked')

export const isRequestedByAgent = (context: Pick<ChangeContext, 'requester'>): boolean => context.requester.startsWith('session:')

/** The group of the context. Only for functions that run after the group was verified to exist. */
export const presentGroup = (context: ChangeContext): AgentGroup => {
  if (context.group === undefined) throw new TypeError(`the agent group ${context.agentGroupID} is verified to exist before this`)
  return context.group
}

/** Reads group states in batches. A call during a read joins the next one, so it never gets older state. */
export type ReadGroupState = (agentGroupID: AgentGroupID) => Promise<GroupState>

/** One statement, so that the result is a consistent snapshot. */
const statement = `
  WITH wanted AS MATERIALIZED (SELECT value AS id FROM json_each(?))
  SELECT 'group' AS kind, id AS owner, '' AS place, record FROM groups WHERE id IN wanted
  UNION ALL
  SELECT 'grant', agent_group_id, server, record FROM grants WHERE agent_group_id IN wanted
  UNION ALL
  SELECT 'wiring', '', channel || ' ' || address, record FROM wirings
  ORDER BY place`

interface StateRow {
  readonly kind: 'group' | 'grant' | 'wiring'
  readonly owner: string
  readonly record: string
}

export const createGroupStateReader = (rows: Rows): ReadGroupState =>
  createBatches(async (ids) => {
    const distinctIDs = [...new Set(ids)]
    const found = await rows.all<StateRow>(statement, [JSON.stringify(distinctIDs)])
    const wirings = found.filter(({ kind }) => kind === 'wiring').map(toWired)
    const states = new Map(
      distinctIDs.map((id) => {
        const own = found.filter(({ owner }) => owner === id)
        const [group] = own.filter(({ kind }) => kind === 'group').map(toGroup)
        return [id, { group, grants: own.filter(({ kind }) => kind === 'grant').map(toGrant), wirings }]
      }),
    )
    return ids.map((id) => states.get(id) ?? { group: undefined, grants: [], wirings })
  })
