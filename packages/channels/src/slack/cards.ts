// Cards of held changes in Slack: a message with buttons, brought up to date in place, and reminders in its thread.
import type { KnownBlock } from '@slack/types'
import type { KeyedTurns } from '@gatehouse/kernel'
import * as v from 'valibot'
import { presentText, reminderOf } from '../cards/words.ts'
import { type CardPost, type Cards, type CardUpdate, SendFailure, type ShownCard } from '../channel.ts'
import type { App } from './app.ts'
import { cardBlocks, reminderBlocks } from './blocks.ts'
import { type Content, offer } from './offer.ts'
import { escapeText } from './text.ts'

export interface CardsDeps {
  readonly app: App
  /** By message: what is newer is written later. */
  readonly turns: KeyedTurns
}

/** Where a card stands. Slack may name another place than it was given. */
const Posted = v.object({ channel: v.string(), ts: v.string() })
export type Posted = v.InferOutput<typeof Posted>

export const turnOf = ({ channel, ts }: Posted): string => `${channel}:${ts}`

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
export const showAt = async (app: App, { posted, card }: { posted: Posted; card: ShownCard }, signal: AbortSignal): Promise<void> => {
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
