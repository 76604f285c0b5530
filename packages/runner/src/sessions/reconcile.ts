// After each (re)connection to the gateway: what was missed meanwhile is asked for, and what waits is seen to.
import { isServiceError } from '@gatehouse/contracts'
import { noteTold, type Request, untoldRequests } from '../queue/requests.ts'
import { adopt } from './adopt.ts'
import type { Context } from './context.ts'
import { decided } from './decided.ts'
import { ensure } from './ensure.ts'
import { relaunch } from './relaunch.ts'
import type { Session } from './session.ts'
import { withQueue } from './with-queue.ts'

/** A change that the gateway no longer has is forgotten. */
const askAbout = async (context: Context, session: Session, { id, kind }: Request): Promise<boolean> => {
  try {
    const { state, failure, reason } = await context.gateway.changeFor({ session: session.id, id })
    await decided(context, session, { id, kind, state, reason: failure?.reason ?? reason })
    return state === 'held' || state === 'approved'
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'not-found') throw error
    await withQueue(context, session, (store) => noteTold(store, id))
    return false
  }
}

const tellDecisions = async (context: Context, session: Session): Promise<void> => {
  const open: boolean[] = []
  for (const request of await withQueue(context, session, untoldRequests)) open.push(await askAbout(context, session, request))
  session.untold = open.includes(true)
}

/** `again`: the connection was lost in between, so a change of any group may have gone unheard. */
export const reconcile = async (context: Context, options: { again: boolean }): Promise<void> => {
  const registered = await context.gateway.sessions({})
  const known = new Set(registered.map(({ id }) => id))
  for (const session of context.sessions.values()) session.open = known.has(session.id)
  for (const session of registered.map((one) => adopt(context, one))) {
    session.news.emit('surface')
    if (options.again) relaunch(context, session, { narrowing: true })
    ensure(context, session)
    if (session.untold && session.parked === undefined) await tellDecisions(context, session)
  }
}
