// The answer to every call of a tool: from memory, never from a cache outside the gateway.
import type { ServerName, Verdict } from '@gatehouse/contracts'
import type { OpenSessions } from '../sessions/open-sessions.ts'
import type { GrantTable } from './table.ts'

export interface AuthorizeDeps {
  readonly sessions: OpenSessions
  readonly table: GrantTable
}

export interface Asked {
  readonly session: string
  readonly server: string
  readonly tool: string
}

/** An empty list of tools allows every tool: whether the server declares it, the broker knows. */
export const authorize = async ({ sessions, table }: AuthorizeDeps, { session, server, tool }: Asked): Promise<Verdict> => {
  const agentGroupID = sessions.find(session)?.agentGroupID
  if (agentGroupID === undefined) return { allowed: false, agentGroupID: null, code: 'not-granted' }
  const row = (await table.of(agentGroupID)).get(server)
  if (row?.grant.state === 'revoked') return { allowed: false, agentGroupID, code: 'revoked' }
  const named = row !== undefined && (row.tools.size === 0 || row.tools.has(tool))
  return named ? { allowed: true, agentGroupID } : { allowed: false, agentGroupID, code: 'not-granted' }
}

export interface GrantedTools {
  readonly server: ServerName
  readonly tools: string[]
}

/** The active grants of the session's group. */
export const grantsOf = async ({ sessions, table }: AuthorizeDeps, session: string) => {
  const agentGroupID = sessions.find(session)?.agentGroupID
  if (agentGroupID === undefined) return { agentGroupID: null, grants: [] }
  const rows = [...(await table.of(agentGroupID)).values()]
  const active = rows.filter(({ grant }) => grant.state === 'active')
  return { agentGroupID, grants: active.map(({ grant }): GrantedTools => ({ server: grant.server, tools: grant.tools })) }
}
