// Approval cards in Slack: a message with buttons, updated in place, with reminders in its thread.
import type { KeyedTurns, Logger } from '@gatehouse/kernel'
import type { KnownBlock } from '@slack/types'
import * as v from 'valibot'
import { presentText, reminderOf } from '../cards/words.ts'
import { type CardPost, type Cards, type CardUpdate, type Listener, type Pressed, SendFailure, type ShownCard } from '../channel.ts'
import type { App } from './app.ts'
import { cardBlocks, reminderBlocks, textBlocks } from './blocks.ts'
import { failureOf, isShapeRefused } from './faults.ts'
import type { SlackPress } from './interaction.ts'
import { escapeText } from './text.ts'

/** A message with its layout; where Slack does not take the layout, without it: the words are worth more. */
interface Content {
  /** For notifications and readers of screens; the whole where Slack does not take the blocks. */
  readonly text: string
  readonly blocks: KnownBlock[]
}

/** Rejects with `SendFailure`. */
export const offer = async <T>(content: Content, call: (content: Content) => Promise<T>): Promise<T> => {
  try {
    return await call(content).catch((error: unknown) => {
      if (isShapeRefused(error)) return call({ ...content, blocks: [] })
      throw error
    })
  } catch (error) {
    throw failureOf(error)
  }
}

export interface CardsDeps {
  readonly app: App
  /** By message: what is newer is written later. */
  readonly turns: KeyedTurns
}

/** Where a card stands. Slack may name another place than it was given. */
const Posted = v.object({ channel: v.string(), ts: v.string() })
export type Posted = v.InferOutput<typeof Posted>

const turnOf = ({ channel, ts }: Posted): string => `${channel}:${ts}`

/** Characters before they are escaped: Slack takes 40,000. */
const longest = 4_000

const contentOf = (text: string, blocks: KnownBlock[]): Content => ({ text: escapeText(text.slice(0, longest)), blocks })

const cardContent = (card: ShownCard): Content => contentOf(presentText(card), cardBlocks(card))

const quiet = { parse: 'none', link_names: false } as const
const unseen = { mrkdwn: false, unfurl_links: false, unfurl_media: false } as const

const postCard = async ({ app }: CardsDeps, { card, place }: CardPost, signal: AbortSignal): Promise<Posted> => {
  const { address: channel, thread } = place
  const answer = await offer(cardContent(card), (content) =>
    app.asBot(signal).chat.postMessage({ channel, ...content, ...quiet, ...unseen, ...(thread !== undefined && { thread_ts: thread }) }),
  )
  const posted = v.safeParse(Posted, answer)
  // Once more would be a second card.
  if (!posted.success) throw new SendFailure('never', 'Slack does not say where the card stands')
  return posted.output
}

/** Within the turn of the message. Rejects with `SendFailure`. */
const showAt = async (app: App, { posted, card }: { posted: Posted; card: ShownCard }, signal: AbortSignal): Promise<void> => {
  await offer(cardContent(card), (content) => app.asBot(signal).chat.update({ ...posted, ...content, ...quiet }))
}

/** Undefined: it was a text, of a version without buttons. */
const standing = ({ posted }: CardUpdate): Posted | undefined => {
  const { success, output } = v.safeParse(Posted, posted)
  return success ? output : undefined
}

const remind = async ({ app }: CardsDeps, update: CardUpdate, signal: AbortSignal): Promise<void> => {
  const { card, place } = update
  const { channel, ts } = standing(update) ?? { channel: place.address, ts: undefined }
  const content = contentOf(reminderOf(card), reminderBlocks(card, place.approvers))
  const thread = place.thread ?? ts
  await offer(content, (one) =>
    app.asBot(signal).chat.postMessage({ channel, ...one, ...quiet, ...unseen, ...(thread !== undefined && { thread_ts: thread }) }),
  )
}

export const slackCards = (deps: CardsDeps): Required<Cards> => ({
  post: async (post, signal) => ({ ...(await postCard(deps, post, signal)) }),
  update: async (update, signal) => {
    const posted = standing(update)
    if (posted === undefined) return void (await postCard(deps, update, signal))
    await deps.turns.run(turnOf(posted), () => showAt(deps.app, { posted, card: update.card }, signal))
  },
  remind: (reminder, signal) => remind(deps, reminder, signal),
})

/** Does what a pressed button asks for: the word goes to the gateway, what came of it to that person alone, and to the card. */
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
