// Grants in memory, rebuilt from the database after every commit that touches one.
import type { Digest, Grant } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import { readLimitedGrants } from './unit-config.ts'

export interface GrantRow {
  readonly grant: Grant
  /** Empty: every tool. */
  readonly tools: ReadonlySet<string>
  readonly pins: ReadonlyMap<string, Digest>
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** Over all sessions and servers of the group; undefined where it has no limit of its own. */
  readonly callsPerMinute: number | undefined
}

/** By group, and within it by server. */
export type Grants = ReadonlyMap<string, ReadonlyMap<string, GrantRow>>

/** Servers for which some group has a grant that is neither revoked nor expired. @param now milliseconds since the epoch */
export const grantedServers = (grants: Grants, now: number): ReadonlySet<string> =>
  new Set(
    [...grants.values()].flatMap((servers) =>
      [...servers].flatMap(([server, { grant, expiresAt }]) => (grant.state !== 'revoked' && expiresAt > now ? [server] : [])),
    ),
  )

export const rowsOf = (grants: Grants, server: string): GrantRow[] => [...grants.values()].flatMap((servers) => servers.get(server) ?? [])

export interface GrantTable {
  /** What was true is not asked any more; resolves when the table is true again. */
  rebuild(): Promise<void>
  /** Undefined while a rebuild or an act runs, or after one that failed. */
  now(): Grants | undefined
  /** Waits only for a rebuild that failed or still runs, and for an act that touches grants. */
  current(): Promise<Grants>
  /** Runs an act that touches grants: nobody is told of grants from before it once anybody can see what it did. */
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

/** The time that each grant has left is counted from now on. */
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
  let wanted = 0
  const acts = new Set<Promise<void>>()

  const forget = (): void => {
    wanted += 1
    grants = undefined
  }

  /** A load that began before the last commit is thrown away. */
  const current = async (): Promise<Grants> => {
    for (;;) {
      await Promise.allSettled(acts)
      if (grants !== undefined && acts.size === 0) return grants
      const mine = wanted
      const loaded = await load(rows, clock)
      if (mine === wanted) grants = loaded
    }
  }
  return {
    rebuild: async () => {
      forget()
      await current()
    },
    now: () => (acts.size > 0 ? undefined : grants),
    current,
    during: async (act) => {
      forget()
      const running = act()
      acts.add(running)
      try {
        await running
      } finally {
        acts.delete(running)
        forget()
      }
    },
  }
}
