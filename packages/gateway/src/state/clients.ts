// The session of a client outside of the unit: one for each client token, found by its name and group alone.
import { clientRole, ConversationID, type Principal, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { LastCalls, OpenSessions } from './sessions.ts'
import type { Subscribers } from './subscribers.ts'

/** Where the session of a client stands among those of its group. */
export const clientPlace = ({ name, groups = [] }: Pick<Principal, 'name' | 'groups'>) => {
  const [agentGroupID] = groups
  if (agentGroupID === undefined || groups.length > 1)
    throw new ServiceError('forbidden', { detail: `${name} is a client of no one group` })
  return { agentGroupID, conversationID: v.parse(ConversationID, `mcp:${name}`), isExternal: true }
}

export interface EndClientDeps {
  readonly sessions: OpenSessions
  readonly lastCalls: Pick<LastCalls, 'forget'>
  readonly subscribers: Subscribers
}

/** Nothing is allowed to it any more, and calls that run end. The journal line of the revocation closes it in the database. */
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
