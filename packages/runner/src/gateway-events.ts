// What the runner does when the gateway tells it something. Never rejects: nobody waits for an event, and what was missed is asked for
// at the next connection.
import type { gatewayRunner } from '@gatehouse/contracts'
import type { EventListeners } from '@gatehouse/rpc'
import { type Context, sessionsOf } from './sessions/context.ts'
import { decided } from './sessions/decided.ts'
import { relaunch } from './sessions/relaunch.ts'

/** `context` is asked for at each event, since the client that hears them is part of it. */
export const gatewayEvents = (context: () => Context): EventListeners<typeof gatewayRunner> => ({
  'surface-ready': ({ session }) => context().sessions.get(session)?.news.emit('surface'),
  'group-changed': ({ agentGroupID, narrowing }) => {
    for (const session of sessionsOf(context(), agentGroupID)) relaunch(context(), session, { narrowing })
  },
  'change-decided': ({ session: id, ...decision }) => {
    const { sessions, log } = context()
    const session = sessions.get(id)
    if (session === undefined) return
    decided(context(), session, decision).catch((error: unknown) =>
      log.warn('decision not told yet', { session: id, changeID: decision.id, error }),
    )
  },
})
