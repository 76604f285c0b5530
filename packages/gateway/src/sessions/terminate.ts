// Ends sessions: everything is denied to them at once, whether or not the journal can be written.
import { type Principal, Reason, type SessionID } from '@gatehouse/contracts'
import { parse } from '../input.ts'
import { type Durability, getDurability } from '../ledger/append.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { CallRates } from '../state/call-counts.ts'
import type { Actor } from '../state/change-records.ts'
import { sees } from '../state/roles.ts'
import { type LastCalls, type OpenSessions, presentSession, unknownSession } from '../state/sessions.ts'
import type { Subscribers } from '../state/subscribers.ts'

export interface TerminateDeps {
  readonly sessions: OpenSessions
  readonly lastCalls: LastCalls
  readonly ledger: Ledger
  readonly subscribers: Subscribers
}

export interface TerminateRequest {
  readonly session: SessionID
  readonly reason?: string | undefined
}

/** Terminates a session at once. Throws `not-found` for a session that the principal may not see. */
export const terminate = async (
  { sessions, lastCalls, ledger, subscribers }: TerminateDeps,
  { actor, principal }: { actor: Actor; principal: Principal },
  { session: id, reason: input }: TerminateRequest,
): Promise<Durability> => {
  const reason = input === undefined ? {} : { reason: parse(Reason, input, '/reason') }
  const session = presentSession(sessions, id)
  if (!sees(principal, session.agentGroupID)) throw unknownSession(id)
  sessions.end(session)
  lastCalls.forget(id)
  subscribers.broker('session-closed', { session: id })
  subscribers.modelProxy('session-closed', { session: id })
  subscribers.runner('session-closed', { session: id })
  const line = {
    edge: actor.edge,
    principal: actor.principal,
    agentGroupID: session.agentGroupID,
    detail: { session: id, ...reason },
  }
  return getDurability(await ledger.commitLate([{ stage: 'terminate', ...line }]))
}

export interface CloseRemovedDeps {
  readonly sessions: OpenSessions
  readonly lastCalls: LastCalls
  readonly rates: Pick<CallRates, 'forget'>
  readonly subscribers: Subscribers
}

/** Ends the sessions of a removed group in memory. They are already closed in the database. */
export const closeRemoved = ({ sessions, lastCalls, rates, subscribers }: CloseRemovedDeps, agentGroupID: string): void => {
  rates.forget(agentGroupID)
  for (const session of sessions.all().filter((open) => open.agentGroupID === agentGroupID)) {
    sessions.end(session)
    lastCalls.forget(session.id)
    subscribers.broker('session-closed', { session: session.id })
    subscribers.modelProxy('session-closed', { session: session.id })
    subscribers.runner('session-closed', { session: session.id })
  }
}
