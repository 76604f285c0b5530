// Counts of granted calls and the rate of each group, in memory; counts are on disk within `limits.callCountDelay`.
import { type Grant, limits } from '@gatehouse/contracts'
import { backoff, createWindow, type Logger, type Window } from '@gatehouse/kernel'
import type { Rows, Store } from '@gatehouse/store'

interface Count {
  readonly agentGroupID: string
  readonly server: string
  readonly changeID: string
  used: number
}

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

/** Writes call counts to disk in batches, within `limits.callCountDelay`. Failed writes are retried. */
class CountSaver {
  readonly #deps: { readonly store: Store; readonly log: Logger }
  readonly #isPresent: (count: Count) => boolean
  readonly #unsaved = new Set<Count>()
  readonly #pauses = backoff({ first: limits.callCountDelay, most: limits.restartMost })
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> | undefined

  /** @param isPresent false for a count whose grant was replaced, which must not overwrite the new count */
  constructor(deps: { readonly store: Store; readonly log: Logger }, isPresent: (count: Count) => boolean) {
    this.#deps = deps
    this.#isPresent = isPresent
  }

  add(count: Count): void {
    this.#unsaved.add(count)
    // The other half of the delay is for the write.
    this.#wake(limits.callCountDelay / 2)
  }

  /** Resolves when all counts are on disk. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#saving
    if (this.#unsaved.size > 0) await this.#write()
  }

  #wake(pause: number): void {
    this.#timer ??= setTimeout(() => this.#run(), pause).unref()
  }

  #run(): void {
    this.#timer = undefined
    this.#saving ??= this.#write()
      .catch((error: unknown) => this.#deps.log.warn('could not persist call counters, will retry', { error }))
      .finally(() => {
        this.#saving = undefined
        if (this.#unsaved.size > 0) this.#wake(this.#pauses.next())
      })
  }

  async #write(): Promise<void> {
    const batch = [...this.#unsaved].filter(this.#isPresent)
    this.#unsaved.clear()
    try {
      await save(this.#deps.store, batch)
      this.#pauses.reset()
    } catch (error) {
      for (const count of batch) this.#unsaved.add(count)
      throw error
    }
  }
}

export interface CallCounts {
  /** Number of calls under this version of the grant. */
  of(grant: Grant): number
  add(grant: Grant): void
  load(rows: Rows): Promise<void>
  /** Resolves when all counts are on disk. */
  flush(): Promise<void>
}

interface CountRow {
  readonly agent_group_id: string
  readonly server: string
  readonly change_id: string
  readonly used: number
}

/** Neither part can contain a space. */
const toKey = ({ agentGroupID, server }: Pick<Count, 'agentGroupID' | 'server'>): string => `${agentGroupID} ${server}`

export const createCallCounts = (store: Store, log: Logger): CallCounts => {
  const counts = new Map<string, Count>()
  const saver = new CountSaver({ store, log }, (count) => counts.get(toKey(count)) === count)
  const findCount = (grant: Grant): Count | undefined => {
    const count = counts.get(toKey(grant))
    return count?.changeID === grant.changeID ? count : undefined
  }
  return {
    of: (grant) => findCount(grant)?.used ?? 0,
    add: (grant) => {
      const { agentGroupID, server, changeID } = grant
      const count = findCount(grant) ?? { agentGroupID, server, changeID, used: 0 }
      count.used += 1
      counts.set(toKey(count), count)
      saver.add(count)
    },
    load: async (rows) => {
      const found = await rows.all<CountRow>('SELECT agent_group_id, server, change_id, used FROM call_counts')
      for (const { agent_group_id: agentGroupID, server, change_id: changeID, used } of found) {
        const count = { agentGroupID, server, changeID, used }
        counts.set(toKey(count), count)
      }
    },
    flush: () => saver.flush(),
  }
}

/** Calls of each group within the last minute, over all its sessions. In memory only, so a restart resets it. */
export interface CallRates {
  /** Milliseconds until the group may make another call under this maximum; 0 if it may now. */
  wait(agentGroupID: string, max: number): number
  add(agentGroupID: string): void
  /** Drops the data of a removed group. */
  forget(agentGroupID: string): void
}

/** @param now milliseconds, monotonic */
export const createCallRates = (now: (() => number) | undefined): CallRates => {
  const windows = new Map<string, Window>()
  const getWindow = (agentGroupID: string): Window => {
    const window = windows.get(agentGroupID) ?? createWindow(now === undefined ? {} : { now })
    windows.set(agentGroupID, window)
    return window
  }
  return {
    wait: (agentGroupID, max) => getWindow(agentGroupID).wait(max),
    add: (agentGroupID) => getWindow(agentGroupID).add(),
    forget: (agentGroupID) => void windows.delete(agentGroupID),
  }
}
