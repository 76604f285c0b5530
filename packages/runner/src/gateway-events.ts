// What the runner does when the gateway tells it something. Never rejects: nobody waits for an event, and what was missed is asked for
// at the next connection.
import type { AgentGroupID, gatewayRunner } from '@gatehouse/contracts'
import type { EventListeners } from '@gatehouse/rpc'
import { reportMounts, reportImages } from './evidence.ts'
import { sweepRemovedGroups } from './removed-groups.ts'
import { terminate } from './sessions/lifecycle.ts'
import { reportDecision } from './sessions/receive.ts'
import { reconsider } from './sessions/reconcile.ts'
import { trackRollout, relaunch } from './sessions/rollout.ts'
import { type Context, sessionsOf } from './state/context.ts'

/** Its sessions are closed by events of their own, which may come later. */
const groupRemoved = async (context: Context, group: AgentGroupID): Promise<void> => {
  for (const session of sessionsOf(context, group)) await terminate(context, session.id)
  await sweepRemovedGroups(context)
}

/** `context` is asked for at each event, since the client that hears them is part of it. */
export const gatewayEvents = (context: () => Context): EventListeners<typeof gatewayRunner> => {
  const begin = (what: string, fields: object, act: Promise<unknown>): void => {
    act.catch((error: unknown) => context().log.warn(what, { ...fields, error }))
  }
  const openSessions = () => [...context().sessions.values()].filter(({ open }) => open)
  return {
    'surface-ready': ({ session }) => context().sessions.get(session)?.news.emit('surface'),
    'group-changed': ({ agentGroupID, changeID, narrowing }) => {
      begin('unused packages not removed', {}, context().trees.sweep())
      for (const session of sessionsOf(context(), agentGroupID).filter(({ open }) => open)) {
        trackRollout(context(), session, changeID)
        relaunch(context(), session, { narrowing })
      }
    },
    'group-removed': ({ agentGroupID }) => begin('files of a group not set aside', { agentGroupID }, groupRemoved(context(), agentGroupID)),
    'freeze-changed': () => {
      for (const session of openSessions()) begin('session not asked about', { session: session.id }, reconsider(context(), session))
    },
    'packages-wanted': ({ names }) => begin('packages not resolved', { names }, context().witnessTree(names)),
    'mounts-wanted': ({ sources }) => begin('paths of the host not told', { sources }, reportMounts(context(), sources)),
    'images-wanted': ({ images }) => begin('images not told', { images }, reportImages(context(), images)),
    'session-closed': ({ session }) => begin('session not closed in order', { session }, terminate(context(), session)),
    'change-decided': ({ session: id, ...decision }) => {
      const session = context().sessions.get(id)
      if (session === undefined) return
      begin('decision not told yet', { session: id, changeID: decision.id }, reportDecision(context(), session, decision))
    },
  }
}
