// Sessions of external clients: one for each client token, identified by its name and group.
import { clientRole, ConversationID, type Principal, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { LastCalls, OpenSessions } from './sessions.ts'
import type { Subscribers } from './subscribers.ts'

/** The group and conversation of a client's session. */
export const clientPlace = ({ name, groups = [] }: Pick<Principal, 'name' | 'groups'>) => {
  const [agentGroupID] = groups
  if (agentGroupID === undefined || groups.length > 1)
    throw new ServiceError('forbidden', { detail: `the token ${name} must have exactly one agent group` })
  return { agentGroupID, conversationID: v.parse(ConversationID, `mcp:${name}`), isExternal: true }
}

export interface EndClientDeps {
  readonly sessions: OpenSessions
  readonly lastCalls: Pick<LastCalls, 'forget'>
  readonly subscribers: Subscribers
}

/** Ends the session of a client at once, including running calls. The record of the revocation closes it in the database. */
export const endClientSession = (
  { sessions, lastCalls, subscribers }: EndClientDeps,
  token: Pick<Principal, 'name' | 'groups' | 'role'>,
): void => {
  if (token.role !== clientRole) return
  const { agentGroupID, conversationID } = clientPlace(token)
  const session = sessions.at(agentGroupID, conversationID)
  if (session?.external !== true) return
  sessions.end(session)
  lastCalls.forget(session.id)
  subscribers.broker('session-closed', { session: session.id })
}
