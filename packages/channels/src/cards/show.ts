// Performs one task for one card (post, update or remind) and reports its reference to the gateway. Keeps no state.
import { createHash } from 'node:crypto'
import {
  type Card,
  type CardTask,
  type ChannelName,
  type gatewayChannels,
  limits,
  Reference,
  type runnerChannels,
} from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import * as v from 'valibot'
import { type CardPlace, type Channel, SendFailure, type ShownCard } from '../channel.ts'
import { Envelope } from '../state/envelope.ts'
import type { Pacer } from '../state/pacer.ts'
import { type RetryOptions, retryUntilStored } from '../workers/keyed-workers.ts'
import { textCards } from './as-text.ts'
import type { OncePerRecipient } from './once-per-recipient.ts'
import { reminderOf } from './texts.ts'

export interface CardContext extends RetryOptions {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'carded'>
  readonly runner: Pick<Calls<typeof runnerChannels>, 'envelope'>
  readonly channels: ReadonlyMap<ChannelName, Channel>
  readonly pacer: Pacer
  readonly oncePerRecipient: OncePerRecipient<string>
  readonly log: Logger
  readonly show: (card: Card) => ShownCard
  readonly signal: AbortSignal
}

/** The reference that the gateway stores for a card. */
const StoredCard = v.strictObject({ thread: v.optional(v.string()), own: Reference, posted: Reference })
type StoredCard = v.InferOutput<typeof StoredCard>

/** Unique to the task and stable across attempts. The outcome is a different message than the pending card. */
const messageIDFor = ({ id, card, act, version, reminder }: CardTask): string => {
  const told = act === 'update' || (act === 'post' && card.state !== 'held') ? version : ''
  const digest = createHash('sha256').update(JSON.stringify([id, card.changeID, act, told, reminder ?? 0]))
  return `msg_${digest.digest('hex').slice(0, 32)}`
}

/** The conversation in which the change was requested, if it has the same address. */
const conversationOf = async ({ runner }: CardContext, { session, address }: CardTask): Promise<Omit<StoredCard, 'posted'>> => {
  if (session === undefined) return { own: {} }
  const { reference } = await runner.envelope({ session })
  const envelope = v.safeParse(Envelope, reference)
  if (!envelope.success || envelope.output.address !== address) return { own: {} }
  const { thread, own } = envelope.output
  return { ...(thread !== undefined && { thread }), own }
}

const performTask = async (context: CardContext, channel: Channel, task: CardTask): Promise<StoredCard> => {
  const before = task.act === 'post' ? undefined : v.parse(StoredCard, task.reference)
  const { thread, own } = before ?? (await conversationOf(context, task))
  const place: CardPlace = { address: task.address, thread, reference: own, approvers: task.approvers }
  const post = { id: messageIDFor(task), card: context.show(task.card), place }
  const texts = textCards({ ...context, channel })
  const { name, can, cards = texts } = channel
  await context.pacer.wait(name, can.pace, context.signal)
  await context.pacer.wait(`${name} ${task.address}`, can.placePace, context.signal)
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(limits.channelSendTime)])
  if (before === undefined) return { ...(thread !== undefined && { thread }), own, posted: await cards.post(post, signal) }
  const update = { ...post, posted: before.posted }
  if (task.act === 'update') await cards.update(update, signal)
  else {
    const text = reminderOf(post.card)
    await (cards.remind === undefined ? texts.remind({ ...update, text }, signal) : cards.remind({ ...update, text }, signal))
  }
  return before
}

export type Shown = 'posted' | 'updated' | 'reminded' | 'failed'
const shown = { post: 'posted', update: 'updated', remind: 'reminded' } as const

/** Rejects if the task is to be retried. */
export const showCard = async (context: CardContext, task: CardTask): Promise<{ readonly shown: Shown; readonly reason?: string }> => {
  const { id, act: what, revision, version, reminder } = task
  const done = { id, act: what, revision, version, ...(reminder !== undefined && { reminder }), failed: false }
  const channel = context.channels.get(task.channel)
  if (channel === undefined) throw new TypeError(`channel ${task.channel} of a card is not configured`)
  try {
    const reference = await performTask(context, channel, task)
    await retryUntilStored(() => context.gateway.carded({ ...done, reference }), context)
    return { shown: shown[what] }
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error
    if (error.after !== undefined && error.everywhere) context.pacer.hold(task.channel, error.after)
    if (error.kind !== 'never') throw error
    await context.gateway.carded({ ...done, failed: true })
    return { shown: 'failed', reason: error.message }
  }
}
