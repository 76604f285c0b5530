// At most so many at once; the rest wait in the order in which they came, and beyond the queue nobody waits.
import { limits } from '@gatehouse/contracts'

export interface Slots {
  /** Resolves with the release of a slot. Rejects with the signal's reason, or at once with `QueueFull`. */
  take(signal: AbortSignal): Promise<() => void>
  waiting(): number
}

export class QueueFull extends Error {
  constructor() {
    super('the queue is full')
    this.name = 'QueueFull'
  }
}

interface SlotOptions {
  readonly most?: number
  readonly queue?: number
  /** Told when the number of those who wait has changed. */
  readonly onWaiting?: (waiting: number) => void
}

export const createSlots = (options: SlotOptions = {}): Slots => {
  const { most = limits.serverCallsInFlight, queue = limits.serverQueue, onWaiting } = options
  const waiters = new Set<() => void>()
  let taken = 0

  const releaseOnce = (): (() => void) => {
    let held = true
    return () => {
      if (!held) return
      held = false
      const [next] = waiters
      if (next === undefined) taken -= 1
      else next()
    }
  }
  const wait = (signal: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiters.delete(grant)
        signal.removeEventListener('abort', giveUp)
        onWaiting?.(waiters.size)
      }
      const grant = (): void => {
        leave()
        resolve(releaseOnce())
      }
      const giveUp = (): void => {
        leave()
        reject(signal.reason as Error)
      }
      waiters.add(grant)
      signal.addEventListener('abort', giveUp)
      onWaiting?.(waiters.size)
    })

  return {
    take: async (signal) => {
      signal.throwIfAborted()
      if (taken < most) {
        taken += 1
        return releaseOnce()
      }
      if (waiters.size >= queue) throw new QueueFull()
      return wait(signal)
    },
    waiting: () => waiters.size,
  }
}
