// Where the message of each idempotency key lies, since a key holds for all conversations and each of them is a file of its own.
// What one channel brings takes no place from people or from another channel, and one conversation of it little from the rest.
import { channels, limits, type SessionID } from '@gatehouse/contracts'
import { KeyedTurns } from '@gatehouse/kernel'
import type { RepeatKey } from '../queue/repeat.ts'
import { Places, type PlacesBound } from './places.ts'

type Name = Pick<RepeatKey, 'principal' | 'key'>

const nameOf = ({ principal, key }: Name): string => `${principal}\n${key}`

/** As whom a channel brings messages. No token has a colon in its name. */
export const principalOf = (channel: (typeof channels)[number]): string => `channel:${channel}`

export interface RepeatsBounds {
  readonly people: PlacesBound
  /** Of each channel. */
  readonly channel: PlacesBound
}

const standard: RepeatsBounds = {
  people: { most: limits.idempotencyKeys },
  channel: { most: limits.channelKeys, mostOfOne: limits.channelKeysOfOne },
}

/** The queues themselves are the memory; this only says where to look. */
export class Repeats {
  readonly #people: Places
  readonly #channels: ReadonlyMap<string, Places>
  readonly #turns = new KeyedTurns()

  constructor({ people, channel }: RepeatsBounds = standard) {
    this.#people = new Places(people)
    this.#channels = new Map(channels.map((name) => [principalOf(name), new Places(channel)]))
  }

  /** The session that took a request with this key last. */
  placeOf(key: Name): SessionID | undefined {
    return this.#placesOf(key).get(nameOf(key))
  }

  keep(key: Name, session: SessionID): void {
    this.#placesOf(key).set(nameOf(key), session)
  }

  /** One act at a time for a key, so that of two equal requests the second finds what the first one left. */
  inTurn<T>(key: Name, act: () => Promise<T>): Promise<T> {
    return this.#turns.run(nameOf(key), act)
  }

  #placesOf({ principal }: Name): Places {
    return this.#channels.get(principal) ?? this.#people
  }
}
