// The open sessions, page by page in the order of their ids.
import { limits, type Params, type Result, type runnerControlPlane } from '@gatehouse/contracts'
import type { Context } from './context.ts'
import type { Session } from './session.ts'
import { statusOf } from './status.ts'

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
