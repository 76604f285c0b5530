// Does one thing about one card at its place, and tells the gateway where it stands. Nothing of it is kept here.
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
import { type LanesOptions, retryUntilStored } from '../workers/keyed-workers.ts'
import { textCards } from './as-text.ts'
import type { Rounds } from './deadline.ts'
import { reminderOf } from './words.ts'

export interface Showing extends LanesOptions {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'carded'>
  readonly runner: Pick<Calls<typeof runnerChannels>, 'envelope'>
  readonly channels: ReadonlyMap<ChannelName, Channel>
  readonly pacer: Pacer
  readonly rounds: Rounds<string>
  readonly log: Logger
  readonly show: (card: Card) => ShownCard
  readonly signal: AbortSignal
}

/** What the gateway keeps for a card. */
const Standing = v.strictObject({ thread: v.optional(v.string()), own: Reference, posted: Reference })
type Standing = v.InferOutput<typeof Standing>

/** The same each time that this is tried, and nothing else's. How it ended is another message than that it waits. */
const idOf = ({ id, card, act, version, reminder }: CardTask): string => {
  const told = act === 'update' || (act === 'post' && card.state !== 'held') ? version : ''
  const digest = createHash('sha256').update(JSON.stringify([id, card.changeID, act, told, reminder ?? 0]))
  return `msg_${digest.digest('hex').slice(0, 32)}`
}

/** The conversation in which it was asked for, if that is at the same address. */
const conversationOf = async ({ runner }: Showing, { session, address }: CardTask): Promise<Omit<Standing, 'posted'>> => {
  if (session === undefined) return { own: {} }
  const { reference } = await runner.envelope({ session })
  const envelope = v.safeParse(Envelope, reference)
  if (!envelope.success || envelope.output.address !== address) return { own: {} }
  const { thread, own } = envelope.output
  return { ...(thread !== undefined && { thread }), own }
}

const act = async (showing: Showing, channel: Channel, task: CardTask): Promise<Standing> => {
  const before = task.act === 'post' ? undefined : v.parse(Standing, task.reference)
  const { thread, own } = before ?? (await conversationOf(showing, task))
  const place: CardPlace = { address: task.address, thread, reference: own, approvers: task.approvers }
  const post = { id: idOf(task), card: showing.show(task.card), place }
  const texts = textCards({ ...showing, channel })
  const { name, can, cards = texts } = channel
  await showing.pacer.wait(name, can.pace, showing.signal)
  await showing.pacer.wait(`${name} ${task.address}`, can.placePace, showing.signal)
  const signal = AbortSignal.any([showing.signal, AbortSignal.timeout(limits.channelSendTime)])
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

/** Rejects where it is to be tried again. */
export const showCard = async (showing: Showing, task: CardTask): Promise<{ readonly shown: Shown; readonly reason?: string }> => {
  const { id, act: what, revision, version, reminder } = task
  const done = { id, act: what, revision, version, ...(reminder !== undefined && { reminder }), failed: false }
  const channel = showing.channels.get(task.channel)
  if (channel === undefined) throw new TypeError(`expected a card of a channel of this unit, got one of ${task.channel}`)
  try {
    const reference = await act(showing, channel, task)
    await retryUntilStored(() => showing.gateway.carded({ ...done, reference }), showing)
    return { shown: shown[what] }
  } catch (error) {
    if (!(error instanceof SendFailure)) throw error
    if (error.after !== undefined && error.everywhere) showing.pacer.hold(task.channel, error.after)
    if (error.kind !== 'never') throw error
    await showing.gateway.carded({ ...done, failed: true })
    return { shown: 'failed', reason: error.message }
  }
}
