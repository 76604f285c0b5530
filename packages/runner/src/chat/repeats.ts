// Where the message of each idempotency key lies, since a key holds for all conversations and each of them is a file of its own.
import { limits, type SessionID } from '@gatehouse/contracts'
import { KeyedTurns } from '@gatehouse/kernel'
import type { RepeatKey } from '../queue/repeat.ts'

type Name = Pick<RepeatKey, 'principal' | 'key'>

const nameOf = ({ principal, key }: Name): string => `${principal}\n${key}`

/** The queues themselves are the memory; this only says where to look. */
export class Repeats {
  readonly #most: number
  /** In the order of their making. */
  readonly #places = new Map<string, SessionID>()
  readonly #turns = new KeyedTurns()

  constructor(most: number = limits.idempotencyKeys) {
    this.#most = most
  }

  /** The session that took a request with this key last. */
  placeOf(key: Name): SessionID | undefined {
    return this.#places.get(nameOf(key))
  }

  keep(key: Name, session: SessionID): void {
    const name = nameOf(key)
    this.#places.delete(name)
    this.#places.set(name, session)
    const [oldest] = this.#places.keys()
    if (this.#places.size > this.#most && oldest !== undefined) this.#places.delete(oldest)
  }

  /** One act at a time for a key, so that of two equal requests the second finds what the first one left. */
  inTurn<T>(key: Name, act: () => Promise<T>): Promise<T> {
    return this.#turns.run(nameOf(key), act)
  }
}
