// What a unit has now, as far as a declaration speaks of it.
import type { Client } from '@gatehouse/client'
import { type AgentGroup, type Change, type GrantView, isServiceError, type ServerView, type Wired } from '@gatehouse/contracts'
import { everyPage } from '../connection/every-page.ts'

export interface Present {
  readonly groups: readonly AgentGroup[]
  readonly grants: readonly GrantView[]
  readonly wirings: readonly Wired[]
  /** Null on a unit without tool servers. */
  readonly servers: readonly ServerView[] | null
  readonly held: readonly Change[]
}

const serversOf = async (client: Client): Promise<readonly ServerView[] | null> => {
  try {
    return (await client.servers.list()).items
  } catch (error) {
    if (isServiceError(error) && error.code === 'mcp-disabled') return null
    throw error
  }
}

export const readUnit = async (client: Client): Promise<Present> => {
  const [groups, grants, wirings, servers, held] = await Promise.all([
    everyPage((cursor) => client.groups.list({ cursor })),
    everyPage((cursor) => client.grants.list({ cursor })),
    everyPage((cursor) => client.wirings.list({ cursor })),
    serversOf(client),
    everyPage((cursor) => client.changes.pending({ cursor })),
  ])
  return { groups, grants, wirings, servers, held }
}
