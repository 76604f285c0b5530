// Where requests lie that may come again: the newest of all, and of each conversation, whatever the others bring.
import type { SessionID } from '@gatehouse/contracts'

export interface PlacesBound {
  readonly most: number
  /** Of one conversation; default all. */
  readonly mostOfOne?: number
}

export class Places {
  readonly #bound: Required<PlacesBound>
  /** In the order of their making. */
  readonly #places = new Map<string, SessionID>()
  readonly #names = new Map<SessionID, Set<string>>()

  constructor({ most, mostOfOne = most }: PlacesBound) {
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
