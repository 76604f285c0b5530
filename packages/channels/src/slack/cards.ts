// Approval cards in Slack: a message with buttons, updated in place, with reminders in its thread.
import type { KeyedQueue, Logger } from '@gatehouse/kernel'
import type { KnownBlock } from '@slack/types'
import * as v from 'valibot'
import { presentText, reminderOf } from '../cards/texts.ts'
import {
  type CardPost,
  type Cards,
  type CardUpdate,
  type Listener,
  type InteractionReply,
  SendFailure,
  type ShownCard,
} from '../channel.ts'
import type { App } from './app.ts'
import { cardBlocks, reminderBlocks, textBlocks } from './blocks.ts'
import { failureOf, isShapeRefused } from './faults.ts'
import type { SlackInteraction } from './interaction.ts'
import { escapeText } from './markup.ts'

/** A message with its layout. If Slack refuses the layout, only the text is sent. */
interface Content {
  /** For notifications and screen readers, and the whole message if Slack refuses the blocks. */
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
  /** Serializes updates by message, so that the newest is written last. */
  readonly turns: KeyedQueue
}

/** Location of a posted card. Slack can return another channel than it was given. */
const Posted = v.object({ channel: v.string(), ts: v.string() })
export type Posted = v.InferOutput<typeof Posted>

const turnOf = ({ channel, ts }: Posted): string => `${channel}:${ts}`

/** Maximum length before escaping. Slack accepts 40,000 characters. */
const maxLength = 4_000

const contentOf = (text: string, blocks: KnownBlock[]): Content => ({ text: escapeText(text.slice(0, maxLength)), blocks })

const cardContent = (card: ShownCard): Content => contentOf(presentText(card), cardBlocks(card))

const quiet = { parse: 'none', link_names: false } as const
const unseen = { mrkdwn: false, unfurl_links: false, unfurl_media: false } as const

const postCard = async ({ app }: CardsDeps, { card, place }: CardPost, signal: AbortSignal): Promise<Posted> => {
  const { address: channel, thread } = place
  const answer = await offer(cardContent(card), (content) =>
    app.asBot(signal).chat.postMessage({ channel, ...content, ...quiet, ...unseen, ...(thread !== undefined && { thread_ts: thread }) }),
  )
  const posted = v.safeParse(Posted, answer)
  // A retry would post a second card.
  if (!posted.success) throw new SendFailure('never', 'Slack did not return the location of the card')
  return posted.output
}

/** Call inside the message's turn. Rejects with `SendFailure`. */
const showAt = async (app: App, { posted, card }: { posted: Posted; card: ShownCard }, signal: AbortSignal): Promise<void> => {
  await offer(cardContent(card), (content) => app.asBot(signal).chat.update({ ...posted, ...content, ...quiet }))
}

/** Undefined if the card is a text message of an earlier release. */
const parsePosted = ({ posted }: CardUpdate): Posted | undefined => {
  const { success, output } = v.safeParse(Posted, posted)
  return success ? output : undefined
}

const remind = async ({ app }: CardsDeps, update: CardUpdate, signal: AbortSignal): Promise<void> => {
  const { card, place } = update
  const { channel, ts } = parsePosted(update) ?? { channel: place.address, ts: undefined }
  const content = contentOf(reminderOf(card), reminderBlocks(card, place.approvers))
  const thread = place.thread ?? ts
  await offer(content, (one) =>
    app.asBot(signal).chat.postMessage({ channel, ...one, ...quiet, ...unseen, ...(thread !== undefined && { thread_ts: thread }) }),
  )
}

export const slackCards = (deps: CardsDeps): Required<Cards> => ({
  post: async (post, signal) => ({ ...(await postCard(deps, post, signal)) }),
  update: async (update, signal) => {
    const posted = parsePosted(update)
    if (posted === undefined) return void (await postCard(deps, update, signal))
    await deps.turns.run(turnOf(posted), () => showAt(deps.app, { posted, card: update.card }, signal))
  },
  remind: (reminder, signal) => remind(deps, reminder, signal),
})

/** Handles a clicked button: submits the decision, and shows the outcome to that person and on the card. */
export interface InteractionContext extends CardsDeps {
  readonly log: Logger
  readonly listener: Pick<Listener, 'decide' | 'signal'>
}

/** Sent once at most: the card shows the outcome in any case. */
const tell = async (
  { app, listener }: InteractionContext,
  { press, channel, thread }: SlackInteraction,
  { text }: InteractionReply,
): Promise<void> => {
  if (text === undefined) return
  const way = { parse: 'none', link_names: false, ...(thread !== undefined && { thread_ts: thread }) } as const
  await offer({ text: escapeText(text), blocks: textBlocks(text) }, (content) =>
    app.asBot(listener.signal).chat.postEphemeral({ channel, user: press.user, ...content, ...way }),
  )
}

/** If a card was posted twice, the gateway knows only one. A click updates the other. */
const show = async (
  { app, listener }: InteractionContext,
  { press, channel, ts }: SlackInteraction,
  { card }: InteractionReply,
): Promise<void> => {
  if (card === undefined || (card.state === 'held' && card.digest === press.digest)) return
  await showAt(app, { posted: { channel, ts }, card }, listener.signal)
}

/**
 * The decision returns the card inside the message's turn, so that no older state overwrites a newer one.
 * Never rejects.
 */
export const handleInteraction = (context: InteractionContext, pressed: SlackInteraction): Promise<void> =>
  context.turns.run(turnOf(pressed), async () => {
    const { log, listener } = context
    const decided = await listener.decide(pressed.press)
    const warn = (error: unknown): void => log.warn('could not show decision outcome', { channel: 'slack', error })
    await Promise.all([tell(context, pressed, decided).catch(warn), show(context, pressed, decided).catch(warn)])
  })
