// Approval cards as text messages, for channels without cards. A channel whose messages have one recipient sends a message to each
// approver, and the outcome also to the person who requested the change there.
import { createHash } from 'node:crypto'
import { limits, type Reference } from '@gatehouse/contracts'
import { type Logger, wallTime } from '@gatehouse/kernel'
import * as v from 'valibot'
import { type CardPost, type Cards, type CardUpdate, type Channel, SendFailure } from '../channel.ts'
import type { Pacer } from '../state/pacer.ts'
import type { OncePerRecipient } from './once-per-recipient.ts'
import { cardText, endingOf, presentText, reminderOf, subjectOf } from './texts.ts'

export interface TextCardContext {
  readonly channel: Channel
  readonly pacer: Pacer
  readonly oncePerRecipient: OncePerRecipient<string>
  readonly log: Logger
}

interface CardMessage extends CardPost {
  readonly text: string
  /** Id of the original post; undefined if this is it. */
  readonly posted?: string | undefined
}

/** The reference passed to `update`, so that later messages continue the thread of the first. */
const Posted = v.object({ post: v.string() })

const postOf = ({ posted }: CardUpdate): string | undefined => {
  const { success, output } = v.safeParse(Posted, posted)
  return success ? output.post : undefined
}

const isEmpty = (reference: Reference): boolean => Object.keys(reference).length === 0

/** Unique to the card message and person, stable across attempts. */
const personalID = (id: string, person: string): string =>
  `msg_${createHash('sha256').update(`${id}\n${person}`).digest('hex').slice(0, 32)}`

/** Placeholder key for the last speaker of the conversation; not a valid user name. */
const lastSpeaker = ''

/** References by person. */
const recipients = (direct: NonNullable<Channel['direct']>, message: CardMessage): Map<string, Reference> => {
  const { card, place, posted } = message
  const { thread, reference, approvers } = place
  const written = approvers.slice(0, limits.cardPeople).map((user): [string, Reference] => {
    const earlier = posted === undefined ? undefined : personalID(posted, user)
    return [user, direct(user, { subject: subjectOf(card), thread, earlier, reference })]
  })
  const people = new Map(written)
  const isTold = [...people.values()].some((one) => JSON.stringify(one) === JSON.stringify(reference))
  if (!isEmpty(reference) && !isTold && (people.size === 0 || card.state !== 'held')) people.set(lastSpeaker, reference)
  if (people.size === 0) throw new SendFailure('never', 'no token maps a user of this channel to an approver')
  return people
}

const send = async (
  { channel, pacer, oncePerRecipient, log }: TextCardContext,
  cardMessage: CardMessage,
  signal: AbortSignal,
): Promise<void> => {
  const { id, card, text, place } = cardMessage
  const { address, thread, reference } = place
  const { name, can, direct } = channel
  const message = { address, thread, text: text.slice(0, can.length), files: [], at: wallTime(), part: 0, parts: 1 }
  if (direct === undefined) return void (await channel.send({ ...message, id, reference }, signal))
  const sends = [...recipients(direct, cardMessage)].map(([person, own], index) => ({
    person,
    send: async () => {
      signal.throwIfAborted()
      // The caller already applied the rate limit to the first one.
      if (index > 0) await pacer.wait(name, can.pace, signal)
      await channel.send({ ...message, id: personalID(id, person), reference: own }, signal)
    },
  }))
  // A changed card is a different message.
  for (const reason of await oncePerRecipient.sendAll(`${id}\n${text}`, sends))
    log.warn('approval card did not reach all approvers', { channel: name, change: card.changeID, reason })
}

export const textCards = (way: TextCardContext): Required<Cards> => ({
  post: async (post, signal) => {
    // The outcome follows; see `update`.
    if (post.card.state !== 'approved') await send(way, { ...post, text: presentText(post.card) }, signal)
    return way.channel.direct === undefined ? {} : { post: post.id }
  },
  update: (update, signal) => {
    const { card } = update
    // The outcome follows as a message of its own. The person who decided it here has an answer already.
    if (card.state === 'approved') return Promise.resolve()
    const text = card.state === 'held' ? `${endingOf(card)}\n${cardText(card)}` : endingOf(card)
    return send(way, { ...update, text, posted: postOf(update) }, signal)
  },
  remind: (reminder, signal) => send(way, { ...reminder, text: reminderOf(reminder.card), posted: postOf(reminder) }, signal),
})
