// Holds every queue still for the moment in which a backup copies those that are written to.
import { randomUUID } from 'node:crypto'
import type { SessionID } from '@gatehouse/contracts'
import { limits } from '@gatehouse/contracts'

/** Acts on queues go through here. */
export class Hold {
  /** Sessions whose queues were used since it was last asked. */
  #touched = new Set<SessionID>()
  #running = new Set<Promise<unknown>>()
  #held: { readonly id: string; readonly released: PromiseWithResolvers<void>; readonly late: NodeJS.Timeout } | undefined

  /** Waits while the queues are held. */
  async during<T>(session: SessionID, act: () => Promise<T>): Promise<T> {
    while (this.#held !== undefined) await this.#held.released.promise
    this.#touched.add(session)
    const running = act()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /** Those that were used since the last time. */
  takeTouched(): SessionID[] {
    const touched = [...this.#touched]
    this.#touched = new Set()
    return touched
  }

  /** Resolves when no act runs. Whoever does not release it in time loses it. */
  async hold(most: number = limits.backupHold): Promise<string> {
    this.#release()
    const id = randomUUID()
    this.#held = { id, released: Promise.withResolvers(), late: setTimeout(() => this.#release(), most) }
    await Promise.allSettled(this.#running)
    return id
  }

  /** Whether nothing was written since `hold`. */
  release(id: string): boolean {
    if (this.#held?.id !== id) return false
    this.#release()
    return true
  }

  #release(): void {
    const held = this.#held
    this.#held = undefined
    clearTimeout(held?.late)
    held?.released.resolve()
  }
}
