// Who may call what, in memory: rebuilt whole from the database after every commit that touches a grant.
import type { Grant } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import { readGrants } from '../registry/world.ts'

interface GrantRow {
  readonly grant: Grant
  readonly tools: ReadonlySet<string>
}

type Groups = ReadonlyMap<string, ReadonlyMap<string, GrantRow>>

export interface GrantTable {
  /** What was true is not asked any more; resolves when the table is true again. */
  rebuild(): Promise<void>
  /** The group's grants by server. Waits only for a rebuild that failed or still runs. */
  of(agentGroupID: string): Promise<ReadonlyMap<string, GrantRow>>
}

const none: ReadonlyMap<string, GrantRow> = new Map()

const load = async (rows: Rows): Promise<Groups> => {
  const groups = new Map<string, Map<string, GrantRow>>()
  for (const grant of await readGrants(rows)) {
    const servers = groups.get(grant.agentGroupID) ?? new Map<string, GrantRow>()
    groups.set(grant.agentGroupID, servers.set(grant.server, { grant, tools: new Set(grant.tools) }))
  }
  return groups
}

export const createGrantTable = (rows: Rows): GrantTable => {
  let groups: Groups | undefined
  let wanted = 0

  /** A load that began before the last commit is thrown away. */
  const current = async (): Promise<Groups> => {
    for (;;) {
      if (groups !== undefined) return groups
      const mine = wanted
      const loaded = await load(rows)
      if (mine === wanted) groups = loaded
    }
  }
  return {
    rebuild: async () => {
      wanted += 1
      groups = undefined
      await current()
    },
    of: async (agentGroupID) => (groups ?? (await current())).get(agentGroupID) ?? none,
  }
}
