// Index of idempotency keys: which conversation holds the message of each key. Channels and conversations have separate quotas,
// so none can evict the keys of another.
import { channels, limits, type SessionID } from '@gatehouse/contracts'
import { KeyedQueue } from '@gatehouse/kernel'
import type { RepeatKey } from '../queue/accept.ts'

/** Where requests lie that may come again: the newest of all, and of each conversation, whatever the others bring. */
interface RecentKeysBound {
  readonly most: number
  /** Of one conversation; default all. */
  readonly mostOfOne?: number
}

class RecentKeys {
  readonly #bound: Required<RecentKeysBound>
  /** In the order of their making. */
  readonly #places = new Map<string, SessionID>()
  readonly #names = new Map<SessionID, Set<string>>()

  constructor({ most, mostOfOne = most }: RecentKeysBound) {
    this.#bound = { most, mostOfOne }
  }

  get(name: string): SessionID | undefined {
    return this.#places.get(name)
  }

  set(name: string, session: SessionID): void {
    this.#drop(name)
    this.#places.set(name, session)
    const own = this.#names.get(session) ?? new Set()
    this.#names.set(session, own.add(name))
    if (own.size > this.#bound.mostOfOne) this.#drop(first(own))
    if (this.#places.size > this.#bound.most) this.#drop(first(this.#places.keys()))
  }

  #drop(name: string | undefined): void {
    const session = name === undefined ? undefined : this.#places.get(name)
    if (name === undefined || session === undefined) return
    this.#places.delete(name)
    const own = this.#names.get(session)
    own?.delete(name)
    if (own?.size === 0) this.#names.delete(session)
  }
}

const first = (names: Iterable<string>): string | undefined => {
  const [name] = names
  return name
}

type Name = Pick<RepeatKey, 'principal' | 'key'>

const nameOf = ({ principal, key }: Name): string => `${principal}\n${key}`

/** As whom a channel brings messages. No token has a colon in its name. */
export const principalOf = (channel: (typeof channels)[number]): string => `channel:${channel}`

export interface IdempotencyBounds {
  readonly people: RecentKeysBound
  /** Of each channel. */
  readonly channel: RecentKeysBound
}

const standard: IdempotencyBounds = {
  people: { most: limits.idempotencyKeys },
  channel: { most: limits.channelKeys, mostOfOne: limits.channelKeysOfOne },
}

/** The queues themselves are the memory; this only says where to look. */
export class IdempotencyIndex {
  readonly #people: RecentKeys
  readonly #channels: ReadonlyMap<string, RecentKeys>
  readonly #turns = new KeyedQueue()

  constructor({ people, channel }: IdempotencyBounds = standard) {
    this.#people = new RecentKeys(people)
    this.#channels = new Map(channels.map((name) => [principalOf(name), new RecentKeys(channel)]))
  }

  /** The session that took a request with this key last. */
  placeOf(key: Name): SessionID | undefined {
    return this.#placesOf(key).get(nameOf(key))
  }

  keep(key: Name, session: SessionID): void {
    this.#placesOf(key).set(nameOf(key), session)
  }

  /** One act at a time for a key, so that of two equal requests the second finds what the first one left. */
  runInTurn<T>(key: Name, act: () => Promise<T>): Promise<T> {
    return this.#turns.run(nameOf(key), act)
  }

  #placesOf({ principal }: Name): RecentKeys {
    return this.#channels.get(principal) ?? this.#people
  }
}
