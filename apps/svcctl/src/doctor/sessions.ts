// Sessions that gave up.
import { limits } from '@gatehouse/contracts'
import { everyPage } from '../connection/every-page.ts'
import { type Check, pass, notAnswered, warn } from './check.ts'

export const sessions: Check = {
  name: 'sessions',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { client } = found
    const all = await everyPage((cursor) => client.sessions.list({ cursor, limit: limits.pageSizeMost }))
    const parked = all.filter(({ state }) => state === 'parked')
    if (parked.length === 0) return [pass(`${all.length}, none is parked`)]
    return parked.map(({ id, agentGroupID, lastExit = 'parked', fix }) =>
      warn(`${id} of ${agentGroupID} is ${lastExit}${fix === undefined ? '' : `; first ${fix}`}`, `svcctl session resume ${id}`),
    )
  },
}
