// The newest undeliverable messages, in memory, so that listing them opens no queue.
import { type ChannelName, type DeadLetter, limits, type MessageID, type SessionID } from '@gatehouse/contracts'

/** The queues themselves are the memory, and how many there are is known from them: this bounds what can be shown of each channel. */
export class DeadLetters {
  readonly #most: number
  /** By channel, newest first. */
  readonly #kept = new Map<ChannelName, { readonly session: SessionID; readonly letter: DeadLetter }[]>()

  constructor(most: number = limits.channelLettersKept) {
    this.#most = most
  }

  /** The same one twice is one. */
  keep(session: SessionID, letter: DeadLetter): void {
    const kept = this.#kept.get(letter.channel) ?? []
    if (kept.length >= this.#most && (kept.at(-1)?.letter.at ?? '') >= letter.at) return
    if (kept.some((one) => one.session === session && one.letter.messageId === letter.messageId)) return
    const place = kept.findIndex((one) => one.letter.at <= letter.at)
    this.#kept.set(letter.channel, kept.toSpliced(place === -1 ? kept.length : place, 0, { session, letter }).slice(0, this.#most))
  }

  /** Without messages: its conversation is no more. */
  forget(session: SessionID, messages?: readonly MessageID[]): void {
    const isMeant = ({ messageId }: DeadLetter): boolean => messages?.includes(messageId) ?? true
    for (const [channel, kept] of this.#kept) {
      this.#kept.set(
        channel,
        kept.filter((one) => one.session !== session || !isMeant(one.letter)),
      )
    }
  }

  /** Newest first. */
  newest(channels: readonly ChannelName[], limit: number): DeadLetter[] {
    const letters = channels.flatMap((channel) => (this.#kept.get(channel) ?? []).map(({ letter }) => letter))
    return letters.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit)
  }
}
