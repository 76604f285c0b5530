// Sends one message to several recipients, each once while this process runs, however often another recipient fails.
import { SendFailure } from '../channel.ts'

export interface Recipient<P> {
  readonly person: P
  readonly send: () => Promise<void>
}

export class OncePerRecipient<P> {
  /** Recipients who have the message, by message. */
  readonly #delivered = new Map<string, Set<P>>()
  readonly #most: number

  constructor(most = 1_000) {
    this.#most = most
  }

  /**
   * Resolves with the reasons of final failures. Rejects if a retry may reach more recipients, or if the message failed finally for
   * all of them.
   */
  async sendAll(id: string, recipients: readonly Recipient<P>[]): Promise<string[]> {
    const delivered = this.#open(id)
    const later: unknown[] = []
    const refusals: SendFailure[] = []
    for (const { person, send } of recipients) {
      if (delivered.has(person)) continue
      try {
        await send()
        delivered.add(person)
      } catch (error) {
        if (error instanceof SendFailure && error.kind === 'never') refusals.push(error)
        else later.push(error)
      }
    }
    if (later.length > 0) throw later[0]
    this.#delivered.delete(id)
    const [refusal] = refusals
    if (refusal !== undefined && delivered.size === 0) throw refusal
    return refusals.map(({ message }) => message)
  }

  /** Drops the oldest entry beyond the maximum; its recipients may get the message twice. */
  #open(id: string): Set<P> {
    const delivered = this.#delivered.get(id) ?? new Set<P>()
    this.#delivered.set(id, delivered)
    const [oldest] = this.#delivered.keys()
    if (this.#delivered.size > this.#most && oldest !== undefined) this.#delivered.delete(oldest)
    return delivered
  }
}
