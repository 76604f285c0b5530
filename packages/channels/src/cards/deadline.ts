// E-mail cards to several approvers: each is sent once while this process lives, no matter how often one of them fails.
import { SendFailure } from '../channel.ts'

export interface Stop<P> {
  readonly person: P
  readonly send: () => Promise<void>
}

export class Rounds<P> {
  /** Who had it, by what it was. */
  readonly #had = new Map<string, Set<P>>()
  readonly #most: number

  constructor(most = 1_000) {
    this.#most = most
  }

  /**
   * Resolves with the reasons why some will never have it. Rejects where it is to be tried again, since somebody may still have
   * it, and where nobody ever will.
   */
  async go(id: string, stops: readonly Stop<P>[]): Promise<string[]> {
    const had = this.#open(id)
    const later: unknown[] = []
    const refusals: SendFailure[] = []
    for (const { person, send } of stops) {
      if (had.has(person)) continue
      try {
        await send()
        had.add(person)
      } catch (error) {
        if (error instanceof SendFailure && error.kind === 'never') refusals.push(error)
        else later.push(error)
      }
    }
    if (later.length > 0) throw later[0]
    this.#had.delete(id)
    const [refusal] = refusals
    if (refusal !== undefined && had.size === 0) throw refusal
    return refusals.map(({ message }) => message)
  }

  /** The oldest is forgotten where there are too many: then somebody may have a letter twice. */
  #open(id: string): Set<P> {
    const had = this.#had.get(id) ?? new Set<P>()
    this.#had.set(id, had)
    const [oldest] = this.#had.keys()
    if (this.#had.size > this.#most && oldest !== undefined) this.#had.delete(oldest)
    return had
  }
}
