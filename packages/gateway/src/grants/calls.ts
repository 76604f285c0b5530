// How often each grant was used: counted in memory, on disk within `limits.callCountDelay`. A new grant begins at zero.
import { type Grant, limits } from '@gatehouse/contracts'
import { backoff, type Logger } from '@gatehouse/kernel'
import type { Rows, Store } from '@gatehouse/store'

export interface CallCounts {
  /** Calls under the grant as its change made it. */
  of(grant: Grant): number
  add(grant: Grant): void
  load(rows: Rows): Promise<void>
  /** Resolves when what was counted is on disk. */
  flush(): Promise<void>
}

interface Count {
  readonly agentGroupID: string
  readonly server: string
  readonly changeID: string
  used: number
}

interface CountRow {
  readonly agent_group_id: string
  readonly server: string
  readonly change_id: string
  readonly used: number
}

/** Neither part can hold a space. */
const placeOf = ({ agentGroupID, server }: Pick<Count, 'agentGroupID' | 'server'>): string => `${agentGroupID} ${server}`

const save = (store: Store, counts: readonly Count[]): Promise<void> =>
  store.write(async (tx) => {
    for (const { agentGroupID, server, changeID, used } of counts) {
      await tx.run(
        `INSERT INTO call_counts (agent_group_id, server, change_id, used) VALUES (?, ?, ?, ?)
         ON CONFLICT (agent_group_id, server) DO UPDATE SET change_id = excluded.change_id, used = excluded.used`,
        [agentGroupID, server, changeID, used],
      )
    }
  })

export const createCallCounts = (store: Store, log: Logger): CallCounts => {
  const counts = new Map<string, Count>()
  const unsaved = new Set<Count>()
  const pauses = backoff({ first: limits.callCountDelay, most: limits.restartMost })
  let timer: NodeJS.Timeout | undefined
  let saving: Promise<void> | undefined

  const write = async (): Promise<void> => {
    // A grant that was replaced meanwhile must not write over the new one.
    const taken = [...unsaved].filter((count) => counts.get(placeOf(count)) === count)
    unsaved.clear()
    try {
      await save(store, taken)
      pauses.reset()
    } catch (error) {
      for (const count of taken) unsaved.add(count)
      throw error
    }
  }
  /** Half of the delay is for the disk. */
  const later = (pause = limits.callCountDelay / 2): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      saving ??= write()
        .catch((error: unknown) => log.warn('counts of calls could not be written yet', { error }))
        .finally(() => {
          saving = undefined
          if (unsaved.size > 0) later(pauses.next())
        })
    }, pause).unref()
  }
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
      unsaved.add(count)
      later()
    },
    load: async (rows) => {
      const found = await rows.all<CountRow>('SELECT agent_group_id, server, change_id, used FROM call_counts')
      for (const { agent_group_id: agentGroupID, server, change_id: changeID, used } of found) {
        const count = { agentGroupID, server, changeID, used }
        counts.set(placeOf(count), count)
      }
    },
    flush: async () => {
      clearTimeout(timer)
      timer = undefined
      await saving
      if (unsaved.size > 0) await write()
    },
  }
}
