// The table of sessions: loads it from disk, adopts sessions that the gateway opened, and lists them in the order of their ids.
import {
  type gatewayRunner,
  limits,
  type Params,
  type Result,
  type runnerControlPlane,
  type Session as Registered,
  type SessionStatus,
} from '@gatehouse/contracts'
import type { FoundQueues } from '../queue/find.ts'
import { createSession, type Session } from '../session/session.ts'
import type { Context } from '../state/context.ts'
import { park } from './queue-access.ts'

/** What people see of a session. */
const lastExit = ({ parked, lastExit }: Session): string | undefined => (parked === undefined ? lastExit : `parked: ${parked}`)

const statusOf = (session: Session): SessionStatus => {
  const exit = lastExit(session)
  return {
    id: session.id,
    agentGroupID: session.agentGroupID,
    conversationId: session.conversationID,
    state: session.state,
    waiting: session.waiting,
    launches: session.launches,
    ...(exit === undefined ? {} : { lastExit: exit }),
    ...(session.parked === undefined || session.fix === undefined ? {} : { fix: session.fix }),
  }
}

type Edge = typeof runnerControlPlane
type Wanted = Params<Edge, 'sessions'>

const fits = (session: Session, { agentGroupIDs, session: id, conversation, state, cursor }: Wanted): boolean =>
  session.open &&
  (cursor === undefined || session.id > cursor) &&
  session.id === (id ?? session.id) &&
  session.state === (state ?? session.state) &&
  session.conversationID === (conversation ?? session.conversationID) &&
  (agentGroupIDs === undefined || agentGroupIDs.includes(session.agentGroupID))

export const list = ({ sessions }: Pick<Context, 'sessions'>, wanted: Wanted): Result<Edge, 'sessions'> => {
  const all = [...sessions.values()].filter((session) => fits(session, wanted)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const items = all.slice(0, wanted.limit ?? limits.pageSizeMost).map(statusOf)
  const last = items.at(-1)
  return { items, ...(last !== undefined && all.length > items.length && { nextCursor: last.id }) }
}

/** Puts the sessions that have a queue on disk into the table at start. */
type Loaded = Pick<Context, 'sessions' | 'unreadable' | 'repeats' | 'deadLetters' | 'log'>

/** None is open until the gateway has said so. A queue that cannot be read is kept in mind until then. */
export const loadSessions = ({ sessions, unreadable, repeats, deadLetters, log }: Loaded, found: FoundQueues): void => {
  for (const { about, waiting, bytes, lastSeq, untold, owed, delivery, letters } of found.readable) {
    const known = { hasQueue: true, waiting, bytes, lastSeq, untold, delivery, owed: new Map(owed.map((id) => [id, undefined])) }
    sessions.set(about.id, Object.assign(createSession(about), known))
    for (const letter of letters) deadLetters.keep(about.id, letter)
  }
  const keys = found.readable.flatMap(({ about, repeats: kept }) => kept.map((repeat) => ({ ...repeat, session: about.id })))
  for (const repeat of keys.toSorted((a, b) => (a.at < b.at ? -1 : 1))) repeats.keep(repeat, repeat.session)
  for (const [session, reason] of found.unreadable) {
    unreadable.set(session, reason)
    log.error('queue cannot be read', { session, reason })
  }
}

/** Takes a session that the gateway has opened into the table. One that it has closed meanwhile stays closed. */
export const adoptSession = (context: Context, registered: Registered): Session => {
  const session = context.sessions.get(registered.id) ?? createSession(registered)
  context.sessions.set(session.id, session)
  session.open = !context.closed.has(session.id)
  const reason = context.unreadable.get(session.id)
  if (reason !== undefined) park(context, session, reason)
  return session
}

/** Asks the gateway what a session is now, and keeps in mind whether anything may be launched for it. */
export type RegisteredSession = Result<typeof gatewayRunner, 'session'>

/** Undefined when it was asked again meanwhile: the later answer is the one that counts. */
export const refreshSession = async (
  { gateway }: Context,
  session: Session,
  signal?: AbortSignal,
): Promise<RegisteredSession | undefined> => {
  session.asked += 1
  const { asked } = session
  const registered = await gateway.session({ session: session.id }, { signal })
  if (asked !== session.asked) return undefined
  session.frozen = registered.frozen
  return registered
}
