// Sessions that gave up.
import { limits } from '@gatehouse/contracts'
import { everyPage } from '../connection/every-page.ts'
import { type Check, pass, skip, warn } from './check.ts'

export const sessions: Check = {
  name: 'sessions',
  run: async ({ unit }) => {
    const found = await unit
    if (!found.reached) return [skip('the unit does not answer')]
    const { client } = found
    const all = await everyPage((cursor) => client.sessions.list({ cursor, limit: limits.pageSizeMost }))
    const parked = all.filter(({ state }) => state === 'parked')
    if (parked.length === 0) return [pass(`${all.length}, none is parked`)]
    return parked.map(({ id, agentGroupID, lastExit = 'parked', fix }) =>
      warn(`${id} of ${agentGroupID} is ${lastExit}${fix === undefined ? '' : `; first ${fix}`}`, `svcctl session resume ${id}`),
    )
  },
}
