// Sessions that gave up.
import { type Check, pass, skip, warn } from './check.ts'

export const sessions: Check = {
  name: 'sessions',
  run: async ({ unit }) => {
    const found = await unit
    if (!found.reached) return [skip('the unit does not answer')]
    const { items } = await found.client.sessions.list()
    const parked = items.filter(({ state }) => state === 'parked')
    if (parked.length === 0) return [pass(`${items.length}, none is parked`)]
    return parked.map(({ id, agentGroupID, lastExit = 'unknown' }) =>
      warn(`${id} of ${agentGroupID} is parked; last exit: ${lastExit}`, `svcctl session resume ${id}`),
    )
  },
}
