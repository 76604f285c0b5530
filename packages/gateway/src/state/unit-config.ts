// The configuration that one change can read: its group, grants and wirings, and the settings of the unit. Read for each
// evaluation.
import { AgentGroup, type AgentGroupID, type Digest, Grant, type Mount, type Pinning, Wired } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'
import { createBatches } from '../ledger/batches.ts'

/** What does not come from the registry. */
export interface UnitConfig {
  readonly agentGroupID: AgentGroupID
  /** The principal that asks. */
  readonly asker: string
  /** Identities of the catalog's entries by name; null on a unit without tool servers. */
  readonly servers: ReadonlyMap<string, Digest> | null
  /** Names of tool servers for which any group of the unit holds a grant that is not over, whether they are configured or not. */
  readonly granted: ReadonlySet<string>
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly config: {
    /** Host paths below which a mount may lie. */
    readonly mountAllow: readonly string[]
    /** State and run directory of the unit and its catalog file, as given and without links. */
    readonly ownPaths: readonly string[]
    readonly pinning: Pinning
    /** Providers of models that the unit has a key for. */
    readonly models: readonly string[]
    /** Whether clients outside of a sandbox may be let in. */
    readonly mcpEndpoint: boolean
  }
}

/** What the registry says that concerns one group. */
export interface GroupState {
  readonly group: AgentGroup | undefined
  /** Those of the group, by server. */
  readonly grants: readonly Grant[]
  /** All of the unit, since an address leads to one group. */
  readonly wirings: readonly Wired[]
}

export interface OtherGroupMount extends Mount {
  /** Where it leads, as it was seen last; absent where nobody looked, or nothing was there. */
  readonly real?: string | undefined
}

export interface ChangeContext extends UnitConfig, GroupState {
  /** Mounts of all other groups, for a change of mounts alone. */
  readonly elsewhere?: readonly OtherGroupMount[]
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

/** Of every group but one. */
export const readOtherGroupMounts = async (rows: Rows, id: string): Promise<Mount[]> =>
  (await readGroups(rows)).flatMap((group) => (group.id === id ? [] : group.mounts))

export interface LimitedGrant {
  readonly grant: Grant
  /** Of the grant's group; undefined where it has no limit of its own. */
  readonly callsPerMinute: number | undefined
}

/** Both as they were at one moment. */
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

/** Active or suspended: what a revocation can still take away. */
export const activeGrant = (context: ChangeContext, server: string): Grant | undefined =>
  context.grants.find((grant) => grant.server === server && grant.state !== 'revoked')

export const askedByAgent = (context: Pick<ChangeContext, 'asker'>): boolean => context.asker.startsWith('session:')

/** For kinds whose verifier runs only once the group is known to exist. */
export const presentGroup = (context: ChangeContext): AgentGroup => {
  if (context.group === undefined) throw new TypeError(`the agent group ${context.agentGroupID} is verified to exist before this`)
  return context.group
}

/** Reads the shares of many groups at once: who asks while one reading runs joins the next, so none is told of a moment before it asked. */
export type ReadGroupState = (agentGroupID: AgentGroupID) => Promise<GroupState>

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

export const createGroupStateReader = (rows: Rows): ReadGroupState =>
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
