// Grants in memory, rebuilt from the database after every commit that touches one.
import type { Digest, Grant } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import { readLimitedGrants } from './unit-config.ts'

export interface GrantRow {
  readonly grant: Grant
  /** Empty for every tool. */
  readonly tools: ReadonlySet<string>
  readonly pins: ReadonlyMap<string, Digest>
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** Limit over all sessions and servers of the group; undefined if it has none. */
  readonly callsPerMinute: number | undefined
}

/** By group, and within it by server. */
export type Grants = ReadonlyMap<string, ReadonlyMap<string, GrantRow>>

/** Servers with a grant that is neither revoked nor expired. @param now milliseconds since the epoch */
export const grantedServers = (grants: Grants, now: number): ReadonlySet<string> =>
  new Set(
    [...grants.values()].flatMap((servers) =>
      [...servers].flatMap(([server, { grant, expiresAt }]) => (grant.state !== 'revoked' && expiresAt > now ? [server] : [])),
    ),
  )

export const rowsOf = (grants: Grants, server: string): GrantRow[] => [...grants.values()].flatMap((servers) => servers.get(server) ?? [])

export interface GrantTable {
  /** Invalidates the table, and resolves when it is rebuilt. */
  rebuild(): Promise<void>
  /** The current grants; undefined during a rebuild or an act, or after one failed. */
  now(): Grants | undefined
  /** The current grants, after any running rebuild or act that changes grants. */
  current(): Promise<Grants>
  /** Runs an action that changes grants. No reader gets the old grants once any reader can see the new ones. */
  during(act: () => Promise<void>): Promise<void>
}

export const toRow = (grant: Grant, callsPerMinute?: number): GrantRow => ({
  grant,
  tools: new Set(grant.tools),
  pins: new Map(Object.entries(grant.pins)),
  expiresAt: grant.expiresAt === undefined ? Infinity : Date.parse(grant.expiresAt),
  callsPerMinute,
})

type Deadlines = Pick<Clock, 'isPast'>

/** Loads the grants, and starts the monotonic countdown of each expiry. */
const load = async (rows: Rows, clock: Deadlines): Promise<Grants> => {
  const groups = new Map<string, Map<string, GrantRow>>()
  for (const { grant, callsPerMinute } of await readLimitedGrants(rows)) {
    const servers = groups.get(grant.agentGroupID) ?? new Map<string, GrantRow>()
    const row = toRow(grant, callsPerMinute)
    clock.isPast(row.expiresAt)
    groups.set(grant.agentGroupID, servers.set(grant.server, row))
  }
  return groups
}

export const createGrantTable = (rows: Rows, clock: Deadlines): GrantTable => {
  let grants: Grants | undefined
  let generation = 0
  const acts = new Set<Promise<void>>()

  const invalidate = (): void => {
    generation += 1
    grants = undefined
  }

  /** A load that started before the last commit is discarded. */
  const current = async (): Promise<Grants> => {
    for (;;) {
      await Promise.allSettled(acts)
      if (grants !== undefined && acts.size === 0) return grants
      const started = generation
      const loaded = await load(rows, clock)
      if (started === generation) grants = loaded
    }
  }
  return {
    rebuild: async () => {
      invalidate()
      await current()
    },
    now: () => (acts.size > 0 ? undefined : grants),
    current,
    during: async (act) => {
      invalidate()
      const running = act()
      acts.add(running)
      try {
        await running
      } finally {
        acts.delete(running)
        invalidate()
      }
    },
  }
}
