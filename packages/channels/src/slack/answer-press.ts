// Does what a pressed button asks for: the word goes to the gateway, what came of it to that person alone, and to the card.
import type { Logger } from '@gatehouse/kernel'
import type { Listener, Pressed } from '../channel.ts'
import { textBlocks } from './blocks.ts'
import { type CardsDeps, showAt, turnOf } from './cards.ts'
import { offer } from './offer.ts'
import type { SlackPress } from './press.ts'
import { escapeText } from './text.ts'

export interface Answering extends CardsDeps {
  readonly log: Logger
  readonly listener: Pick<Listener, 'decide' | 'signal'>
}

/** Once, and no more: what was decided is on the card in any case. */
const tell = async ({ app, listener }: Answering, { press, channel, thread }: SlackPress, { text }: Pressed): Promise<void> => {
  if (text === undefined) return
  const way = { parse: 'none', link_names: false, ...(thread !== undefined && { thread_ts: thread }) } as const
  await offer({ text: escapeText(text), blocks: textBlocks(text) }, (content) =>
    app.asBot(listener.signal).chat.postEphemeral({ channel, user: press.user, ...content, ...way }),
  )
}

/** Of a card that was sent twice the gateway knows one: the other is brought up to date by who presses it. */
const show = async ({ app, listener }: Answering, { press, channel, ts }: SlackPress, { card }: Pressed): Promise<void> => {
  if (card === undefined || (card.state === 'held' && card.digest === press.digest)) return
  await showAt(app, { posted: { channel, ts }, card }, listener.signal)
}

/**
 * The card that comes back was read within the turn of its message: nothing older is written over something newer.
 * Never rejects.
 */
export const answerPress = (answering: Answering, pressed: SlackPress): Promise<void> =>
  answering.turns.run(turnOf(pressed), async () => {
    const { log, listener } = answering
    const decided = await listener.decide(pressed.press)
    const warn = (error: unknown): void => log.warn('a person could not be shown what came of a decision', { channel: 'slack', error })
    await Promise.all([tell(answering, pressed, decided).catch(warn), show(answering, pressed, decided).catch(warn)])
  })
