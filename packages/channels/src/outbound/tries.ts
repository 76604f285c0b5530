// How long each message has been tried in vain. Neither its age counts, which may be that of a freeze, nor the clock of the host.
import { type Delivery, limits, type SessionID } from '@gatehouse/contracts'

/** Of so many conversations at once; beyond it the day of the first begins anew. */
const most = 10_000

export class Tries {
  readonly #since = new Map<SessionID, { readonly seq: number; readonly at: number }>()

  /** It was tried once more. Whether that goes on for so long that it is given up. */
  fail({ session, seq }: Pick<Delivery, 'session' | 'seq'>): boolean {
    const now = performance.now()
    const known = this.#since.get(session)
    if (known?.seq === seq) return now - known.at > limits.channelGiveUp
    const [first] = this.#since.keys()
    if (this.#since.size >= most && first !== undefined) this.#since.delete(first)
    this.#since.set(session, { seq, at: now })
    return false
  }

  /** It is over, or nothing is tried for now. */
  forget(session: SessionID): void {
    this.#since.delete(session)
  }
}
