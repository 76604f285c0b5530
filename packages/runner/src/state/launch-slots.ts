// Limits how many sandboxes start at once, fairly by group: with too many, all of them would be late.
import type { AgentGroupID } from '@gatehouse/contracts'

/** Gives the place to the next in line; again and again does nothing. */
export type ReleaseSlot = () => void

interface Waiter {
  readonly begin: (giveBack: ReleaseSlot) => void
}

export interface LaunchSlotsOptions {
  readonly places: number
  /** Milliseconds after which a slot is free again, so that hanging sandboxes do not block others forever. */
  readonly keptMost: number
  /** Called whenever somebody begins or ends to wait. */
  onWaiting(waiting: number): void
}

/** Groups take turns; within a group the order is FIFO. */
export class LaunchSlots {
  readonly #options: LaunchSlotsOptions
  /** The group whose turn is next stands first. */
  readonly #lines = new Map<AgentGroupID, Waiter[]>()
  #free: number

  constructor(options: LaunchSlotsOptions) {
    this.#options = options
    this.#free = options.places
  }

  /** Resolves when there is a free slot; rejects when the signal aborts first. */
  async take(group: AgentGroupID, signal: AbortSignal): Promise<ReleaseSlot> {
    signal.throwIfAborted()
    if (this.#free > 0) return this.#begin()
    const place = Promise.withResolvers<ReleaseSlot>()
    const waiter: Waiter = { begin: place.resolve }
    const leave = (): void => {
      this.#leave(group, waiter)
      place.reject(signal.reason)
    }
    this.#lines.set(group, [...(this.#lines.get(group) ?? []), waiter])
    signal.addEventListener('abort', leave, { once: true })
    this.#tell()
    return place.promise.finally(() => signal.removeEventListener('abort', leave))
  }

  #begin(): ReleaseSlot {
    this.#free -= 1
    let isKept = true
    const giveBack = (): void => {
      if (!isKept) return
      isKept = false
      clearTimeout(late)
      this.#free += 1
      this.#next()
    }
    const late = setTimeout(giveBack, this.#options.keptMost)
    late.unref()
    return giveBack
  }

  #next(): void {
    const [turn] = this.#lines
    if (turn === undefined || this.#free === 0) return
    const [group, [first, ...others]] = turn
    this.#lines.delete(group)
    if (others.length > 0) this.#lines.set(group, others)
    this.#tell()
    first?.begin(this.#begin())
  }

  #leave(group: AgentGroupID, waiter: Waiter): void {
    const others = (this.#lines.get(group) ?? []).filter((one) => one !== waiter)
    if (others.length > 0) this.#lines.set(group, others)
    else this.#lines.delete(group)
    this.#tell()
  }

  #tell(): void {
    this.#options.onWaiting([...this.#lines.values()].reduce((sum, { length }) => sum + length, 0))
  }
}
