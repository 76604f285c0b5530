// Which servers were found to speak the revisions with a handshake: they are not asked again for a while.
import { limits } from '@gatehouse/contracts'
import { canonical, sha256 } from '@gatehouse/kernel'
import type { NamedEntry } from './named-entry.ts'

/** By the whole entry: another value of a variable may make another server of it. */
const keyOf = ({ name, entry }: NamedEntry): string => sha256(canonical({ name, entry }))

export class Eras {
  readonly #legacy = new Map<string, number>()

  /** A verdict of long ago is not believed: an old revision never fails by itself, so a server that learnt the new one would not be seen. */
  isLegacy(entry: NamedEntry): boolean {
    const at = this.#legacy.get(keyOf(entry))
    return at !== undefined && performance.now() - at < limits.eraKept
  }

  found(entry: NamedEntry, era: 'legacy' | 'modern'): void {
    const key = keyOf(entry)
    this.#legacy.delete(key)
    if (era === 'legacy') this.#legacy.set(key, performance.now())
    const [oldest] = this.#legacy.keys()
    if (this.#legacy.size > limits.erasKept && oldest !== undefined) this.#legacy.delete(oldest)
  }

  /** A connection failed: the server may have become another. */
  forget(entry: NamedEntry): void {
    this.#legacy.delete(keyOf(entry))
  }
}
