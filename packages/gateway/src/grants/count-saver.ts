// Brings counts of calls to disk within `limits.callCountDelay`, many at a time; what could not be written is tried again.
import { limits } from '@gatehouse/contracts'
import { backoff, type Logger } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'

export interface Count {
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

export class CountSaver {
  readonly #deps: { readonly store: Store; readonly log: Logger }
  readonly #isPresent: (count: Count) => boolean
  readonly #unsaved = new Set<Count>()
  readonly #pauses = backoff({ first: limits.callCountDelay, most: limits.restartMost })
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> | undefined

  /** @param isPresent false for a count whose grant was replaced: it must not write over the new one */
  constructor(deps: { readonly store: Store; readonly log: Logger }, isPresent: (count: Count) => boolean) {
    this.#deps = deps
    this.#isPresent = isPresent
  }

  take(count: Count): void {
    this.#unsaved.add(count)
    // Half of the delay is for the disk.
    this.#wake(limits.callCountDelay / 2)
  }

  /** Resolves when everything that was taken is on disk. */
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
      .catch((error: unknown) => this.#deps.log.warn('counts of calls could not be written yet', { error }))
      .finally(() => {
        this.#saving = undefined
        if (this.#unsaved.size > 0) this.#wake(this.#pauses.next())
      })
  }

  async #write(): Promise<void> {
    const taken = [...this.#unsaved].filter(this.#isPresent)
    this.#unsaved.clear()
    try {
      await save(this.#deps.store, taken)
      this.#pauses.reset()
    } catch (error) {
      for (const count of taken) this.#unsaved.add(count)
      throw error
    }
  }
}
