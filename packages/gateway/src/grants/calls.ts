// How often each grant was used: counted in memory, on disk within `limits.callCountDelay`. A new grant begins at zero.
import type { Grant } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Rows, Store } from '@gatehouse/store'
import { type Count, CountSaver } from './count-saver.ts'

export interface CallCounts {
  /** Calls under the grant as its change made it. */
  of(grant: Grant): number
  add(grant: Grant): void
  load(rows: Rows): Promise<void>
  /** Resolves when what was counted is on disk. */
  flush(): Promise<void>
}

interface CountRow {
  readonly agent_group_id: string
  readonly server: string
  readonly change_id: string
  readonly used: number
}

/** Neither part can hold a space. */
const placeOf = ({ agentGroupID, server }: Pick<Count, 'agentGroupID' | 'server'>): string => `${agentGroupID} ${server}`

export const createCallCounts = (store: Store, log: Logger): CallCounts => {
  const counts = new Map<string, Count>()
  const saver = new CountSaver({ store, log }, (count) => counts.get(placeOf(count)) === count)
  const countOf = (grant: Grant): Count | undefined => {
    const count = counts.get(placeOf(grant))
    return count?.changeID === grant.changeID ? count : undefined
  }
  return {
    of: (grant) => countOf(grant)?.used ?? 0,
    add: (grant) => {
      const { agentGroupID, server, changeID } = grant
      const count = countOf(grant) ?? { agentGroupID, server, changeID, used: 0 }
      count.used += 1
      counts.set(placeOf(count), count)
      saver.take(count)
    },
    load: async (rows) => {
      const found = await rows.all<CountRow>('SELECT agent_group_id, server, change_id, used FROM call_counts')
      for (const { agent_group_id: agentGroupID, server, change_id: changeID, used } of found) {
        const count = { agentGroupID, server, changeID, used }
        counts.set(placeOf(count), count)
      }
    },
    flush: () => saver.flush(),
  }
}
