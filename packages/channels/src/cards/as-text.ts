// Cards of a channel that has none of its own: texts, each sent as a message. Where an address is no place, to each who may decide.
import { type Reference, limits } from '@gatehouse/contracts'
import { type CardPlace, type Cards, type Channel, SendFailure } from '../channel.ts'
import { cardText, endingOf, reminderOf } from './words.ts'

interface Letter {
  readonly id: string
  readonly place: CardPlace
  readonly text: string
}

const isEmpty = (reference: Reference): boolean => Object.keys(reference).length === 0

/** Who hears of it: everybody at the place, or each approver alone. */
const recipients = ({ direct }: Channel, { reference, approvers }: CardPlace): Reference[] => {
  if (direct === undefined) return [reference]
  const people = approvers.slice(0, limits.cardPeople).map((user) => direct(user))
  const found = people.length === 0 && !isEmpty(reference) ? [reference] : people
  if (found.length === 0) throw new SendFailure('never', 'no token names a person of this channel who may decide it')
  return found
}

const send = async (channel: Channel, { id, place, text }: Letter, signal: AbortSignal): Promise<void> => {
  const { address, thread } = place
  const at = new Date().toISOString()
  const cut = text.slice(0, channel.can.length)
  for (const [index, reference] of recipients(channel, place).entries()) {
    await channel.send({ id: index === 0 ? id : `${id}.${index}`, address, thread, text: cut, at, part: 0, parts: 1, reference }, signal)
  }
}

export const textCards = (channel: Channel): Required<Cards> => ({
  post: async ({ id, card, place }, signal) => {
    await send(channel, { id, place, text: cardText(card) }, signal)
    return {}
  },
  update: ({ id, card, place }, signal) =>
    send(channel, { id, place, text: card.state === 'held' ? `${endingOf(card)}\n${cardText(card)}` : endingOf(card) }, signal),
  remind: ({ id, card, place }, signal) => send(channel, { id, place, text: reminderOf(card) }, signal),
})
