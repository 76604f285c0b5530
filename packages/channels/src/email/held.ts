// Letters that wait for the unit: each in its conversation, of which nothing later comes in before, while all others go on. They are
// tried again after ever longer rests, and not fetched meanwhile, however much arrives.
import { limits } from '@gatehouse/contracts'
import { backoff } from '@gatehouse/kernel'
import type { Inbound } from '../channel.ts'
import type { Mail } from './mailbox.ts'

/** Of a letter whose conversation is not known: who wrote it, and its thread, whoever else writes there. */
export const placesOf = ({ user, address, thread }: Pick<Inbound, 'user' | 'address' | 'thread'>): string[] =>
  thread === undefined ? [user] : [user, `${address} ${thread}`]

export class Held {
  /** By letter: its conversation; what it may belong to where that was not told. */
  readonly #places = new Map<Mail['uid'], readonly string[]>()
  /** Where a letter waits. */
  readonly #waiting = new Set<string>()
  readonly #rests = backoff({ first: limits.channelRetryFirst, most: limits.emailPoll })
  /** When they are tried again; undefined before they were held, and while they are tried. */
  #due: number | undefined

  /** A look at all that is new there. What waits is forgotten where it is there no more, and tried again when it is time. */
  begin(mails: readonly Mail[]): void {
    const uids = new Set(mails.map(({ uid }) => uid))
    for (const uid of this.#places.keys()) if (!uids.has(uid)) this.#places.delete(uid)
    if (performance.now() < (this.#due ?? 0)) return
    this.#waiting.clear()
    this.#due = undefined
  }

  /** A letter waits at one of them, so that later ones do. */
  isBehind(places: readonly string[]): boolean {
    return places.some((place) => this.#waiting.has(place))
  }

  /** This one need not be fetched now. */
  isHeld({ uid }: Mail): boolean {
    return this.isBehind(this.#places.get(uid) ?? [])
  }

  hold({ uid }: Mail, places: readonly string[]): void {
    this.#places.set(uid, places)
    for (const place of places) this.#waiting.add(place)
  }

  /** The look is over. Milliseconds until the next one is due, whatever arrives. */
  end(): number {
    if (this.#waiting.size === 0) {
      this.#rests.reset()
      return limits.emailPoll
    }
    this.#due ??= performance.now() + this.#rests.next()
    return Math.max(0, this.#due - performance.now())
  }
}
