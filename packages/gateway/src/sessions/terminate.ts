// A person ends a session: from then on nothing is allowed to it, whether the journal can be written or not.
import { type Principal, Reason, type SessionID } from '@gatehouse/contracts'
import type { Actor } from '../changes/lines.ts'
import type { Audience } from '../events/audience.ts'
import { parse } from '../input/parse.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Kept, keptOf } from '../ledger/owed.ts'
import { sees } from '../principals/scope.ts'
import { presentSession, unknownSession } from './find.ts'
import type { LastCalls } from './last-call.ts'
import type { OpenSessions } from './open-sessions.ts'

export interface TerminateDeps {
  readonly sessions: OpenSessions
  readonly lastCalls: LastCalls
  readonly ledger: Ledger
  readonly audience: Audience
}

export interface Ending {
  readonly session: SessionID
  readonly reason?: string | undefined
}

/** A session of a group that the principal does not see is no session. */
export const terminate = async (
  { sessions, lastCalls, ledger, audience }: TerminateDeps,
  { actor, principal }: { actor: Actor; principal: Principal },
  { session: id, reason: given }: Ending,
): Promise<Kept> => {
  const reason = given === undefined ? {} : { reason: parse(Reason, given, '/reason') }
  const session = presentSession(sessions, id)
  if (!sees(principal, session.agentGroupID)) throw unknownSession(id)
  sessions.end(session)
  lastCalls.forget(id)
  audience.broker('session-closed', { session: id })
  audience.modelProxy('session-closed', { session: id })
  audience.runner('session-closed', { session: id })
  const line = {
    edge: actor.edge,
    principal: actor.principal,
    agentGroupID: session.agentGroupID,
    detail: { session: id, ...reason },
  }
  return keptOf(await ledger.commitLate([{ stage: 'terminate', ...line }]))
}
