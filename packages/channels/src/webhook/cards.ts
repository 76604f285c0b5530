// Cards for programs: the whole card as JSON, each time it is shown, moves or is reminded of, and what to answer to decide it.
import { wallTime } from '@gatehouse/kernel'
import { answerOf, endingOf, isOpen, presentText } from '../cards/words.ts'
import type { CardPost, Cards } from '../channel.ts'
import { type Letter, postWebhook, type Way } from './send.ts'

type Act = 'posted' | 'updated' | 'reminded'

const letterOf = (act: Act, { id, card, place }: CardPost, text: string): Letter => {
  const { address, thread, reference } = place
  const answers = isOpen(card) ? { approve: answerOf('approve', card), reject: answerOf('reject', card) } : undefined
  const data = { address, thread, act, text, card, answers, inReplyTo: reference['inReplyTo'] }
  return { id, address, body: JSON.stringify({ type: 'card', timestamp: wallTime(), data }) }
}

export const webhookCards = (way: Way): Cards => ({
  post: async (post, signal) => {
    await postWebhook(way, letterOf('posted', post, presentText(post.card)), signal)
    return {}
  },
  update: async (update, signal) => {
    await postWebhook(way, letterOf('updated', update, endingOf(update.card)), signal)
  },
  remind: async (reminder, signal) => {
    await postWebhook(way, letterOf('reminded', reminder, reminder.text), signal)
  },
})
