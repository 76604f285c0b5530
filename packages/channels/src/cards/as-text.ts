// Cards of a channel that has none of its own: texts, each sent as a message. Where a message is seen by one person alone, one to
// each who may decide; and how it ended also to who had asked for it there.
import { createHash } from 'node:crypto'
import { limits, type Reference } from '@gatehouse/contracts'
import { type Logger, wallTime } from '@gatehouse/kernel'
import * as v from 'valibot'
import { type CardPost, type Cards, type CardUpdate, type Channel, SendFailure } from '../channel.ts'
import type { Pacer } from '../state/pacer.ts'
import type { Rounds } from './deadline.ts'
import { cardText, endingOf, presentText, reminderOf, subjectOf } from './words.ts'

export interface TextWay {
  readonly channel: Channel
  readonly pacer: Pacer
  readonly rounds: Rounds<string>
  readonly log: Logger
}

interface Letter extends CardPost {
  readonly text: string
  /** Under which it was posted; undefined: it is now. */
  readonly posted?: string | undefined
}

/** What `update` is given back: by it answers find the letter that they follow. */
const Posted = v.object({ post: v.string() })

const postOf = ({ posted }: CardUpdate): string | undefined => {
  const { success, output } = v.safeParse(Posted, posted)
  return success ? output.post : undefined
}

const isEmpty = (reference: Reference): boolean => Object.keys(reference).length === 0

/** The same person's letter of the same round, and no other's. */
const personalID = (id: string, person: string): string =>
  `msg_${createHash('sha256').update(`${id}\n${person}`).digest('hex').slice(0, 32)}`

/** Stands for who spoke last in the conversation: no person's name. */
const asker = ''

/** By person. */
const recipients = (direct: NonNullable<Channel['direct']>, letter: Letter): Map<string, Reference> => {
  const { card, place, posted } = letter
  const { thread, reference, approvers } = place
  const written = approvers.slice(0, limits.cardPeople).map((user): [string, Reference] => {
    const earlier = posted === undefined ? undefined : personalID(posted, user)
    return [user, direct(user, { subject: subjectOf(card), thread, earlier, reference })]
  })
  const people = new Map(written)
  const isTold = [...people.values()].some((one) => JSON.stringify(one) === JSON.stringify(reference))
  if (!isEmpty(reference) && !isTold && (people.size === 0 || card.state !== 'held')) people.set(asker, reference)
  if (people.size === 0) throw new SendFailure('never', 'no token names a person of this channel who may decide it')
  return people
}

const send = async ({ channel, pacer, rounds, log }: TextWay, letter: Letter, signal: AbortSignal): Promise<void> => {
  const { id, card, text, place } = letter
  const { address, thread, reference } = place
  const { name, can, direct } = channel
  const message = { address, thread, text: text.slice(0, can.length), files: [], at: wallTime(), part: 0, parts: 1 }
  if (direct === undefined) return void (await channel.send({ ...message, id, reference }, signal))
  const stops = [...recipients(direct, letter)].map(([person, own], index) => ({
    person,
    send: async () => {
      signal.throwIfAborted()
      // The first one was waited for as any card is.
      if (index > 0) await pacer.wait(name, can.pace, signal)
      await channel.send({ ...message, id: personalID(id, person), reference: own }, signal)
    },
  }))
  // What moved meanwhile is another letter.
  for (const reason of await rounds.go(`${id}\n${text}`, stops))
    log.warn('a card does not reach everybody who may decide', { channel: name, change: card.changeID, reason })
}

export const textCards = (way: TextWay): Required<Cards> => ({
  post: async (post, signal) => {
    // As with an update.
    if (post.card.state !== 'approved') await send(way, { ...post, text: presentText(post.card) }, signal)
    return way.channel.direct === undefined ? {} : { post: post.id }
  },
  update: (update, signal) => {
    const { card } = update
    // Its end follows, and is the letter that people wait for; who has decided it here is told at once.
    if (card.state === 'approved') return Promise.resolve()
    const text = card.state === 'held' ? `${endingOf(card)}\n${cardText(card)}` : endingOf(card)
    return send(way, { ...update, text, posted: postOf(update) }, signal)
  },
  remind: (reminder, signal) => send(way, { ...reminder, text: reminderOf(reminder.card), posted: postOf(reminder) }, signal),
})
