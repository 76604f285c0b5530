// Receives updates from Telegram by long polling, in order within each chat. An update is confirmed only after it is on disk.
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Inbound, Listener } from '../channel.ts'
import { accountOf, type Bot, identifyBot, type Me, pollTime } from './bot.ts'
import { faultOf, retryAfterMs } from './faults.ts'
import { handleInteraction } from './interaction.ts'
import { readMessage } from './read.ts'
import { Update } from './update.ts'

/** Tracks processed updates. Telegram drops updates below the requested offset and redelivers the others after a crash, so the offset
 * never passes an unprocessed update. Telegram stores the offset. */
class Backlog {
  readonly #done = new Set<number>()
  /** Start of waiting by update, in milliseconds. */
  readonly #since = new Map<number, number>()
  #next: number | undefined

  /** Offset of the first unprocessed update. */
  get next(): number | undefined {
    return this.#next
  }

  /** Some updates must be delivered again. */
  get isWaiting(): boolean {
    return this.#since.size > 0
  }

  has(id: number): boolean {
    return this.#done.has(id)
  }

  settle(id: number): void {
    this.#done.add(id)
    this.#since.delete(id)
  }

  /** False after the timeout: a flooded conversation must not block the others forever. */
  hold(id: number): boolean {
    const now = performance.now()
    const since = this.#since.get(id) ?? now
    this.#since.set(id, since)
    return now - since < limits.channelHold
  }

  /** Restarts the timeout. */
  keep(id: number): void {
    this.#since.set(id, performance.now())
  }

  /** `received`: all updates of one response. After an empty response, Telegram holds no processed update. */
  advance(received: readonly number[]): void {
    const open = received.filter((id) => !this.#done.has(id))
    this.#next = received.length === 0 ? undefined : open.length > 0 ? Math.min(...open) : Math.max(...received) + 1
    for (const id of this.#done) if (this.#next === undefined || id < this.#next) this.#done.delete(id)
    for (const id of this.#since.keys()) if (!received.includes(id)) this.#since.delete(id)
  }
}

export interface ReceiveOptions {
  readonly bot: Bot
  readonly log: Logger
}

interface Session extends ReceiveOptions, Pick<Listener, 'take' | 'decide' | 'signal'> {
  readonly me: Me
  readonly backlog: Backlog
}

/** The next updates. Empty after a pause that Telegram requested. */
const poll = async ({ bot, backlog, signal }: Session, timeout: number): Promise<Update[]> => {
  const offset = backlog.next
  try {
    const query = { ...(offset !== undefined && { offset }), limit: 50, timeout, allowed_updates: ['message', 'callback_query'] as const }
    const updates = await bot.api(signal).getUpdates(query)
    return updates.filter((update) => v.is(Update, update))
  } catch (error) {
    const delay = retryAfterMs(error)
    if (delay === undefined) throw faultOf(error)
    await pause(delay, undefined, { signal })
    return []
  }
}

/** Why a message waits: rate limit, full queue, or an unavailable service of the unit. */
type WaitReason = 'busy' | 'full' | 'away'

interface Turn {
  /** Id of the update. */
  readonly id: number
  /** Reasons by address. */
  readonly waiting: Map<string, WaitReason>
}

/** Undefined if the message is processed. */
const processMessage = async ({ log, take, backlog }: Session, id: number, message: Inbound): Promise<WaitReason | undefined> => {
  try {
    const outcome = await take(message)
    if (outcome !== 'busy' && outcome !== 'full') return undefined
    if (backlog.hold(id)) return outcome
    log.warn('message dropped: queue full', { channel: 'telegram', outcome })
    return undefined
  } catch (error) {
    log.debug('channel message will be redelivered', { channel: 'telegram', error })
    backlog.keep(id)
    return 'away'
  }
}

/** Later messages of an address wait behind its first waiting one, and share its timeout, so that they do not block others in turn. */
const takeInTurn = async (session: Session, message: Inbound, { id, waiting }: Turn): Promise<void> => {
  const { backlog } = session
  const first = waiting.get(message.address)
  if (first === 'full') backlog.hold(id)
  if (first === 'away') backlog.keep(id)
  if (first !== undefined) return
  const checkRoute = await processMessage(session, id, message)
  if (checkRoute === undefined) backlog.settle(id)
  else waiting.set(message.address, checkRoute)
}

/** Interactions do not wait behind messages: each applies to the digest that its card showed. */
const takeAll = async (session: Session, updates: readonly Update[]): Promise<void> => {
  const { backlog, bot, me, signal } = session
  const waiting: Turn['waiting'] = new Map()
  for (const { update_id: id, message: messageUpdate, callback_query: interaction } of updates) {
    if (signal.aborted) return
    if (backlog.has(id)) continue
    if (interaction !== undefined) await handleInteraction(session, interaction)
    const message = readMessage(messageUpdate, bot, me)
    if (message === undefined) backlog.settle(id)
    else await takeInTurn(session, message, { id, waiting })
  }
  backlog.advance(updates.map(({ update_id }) => update_id))
}

const receiveUpdates = async (options: ReceiveOptions, listener: Listener): Promise<void> => {
  const { take, decide, signal } = listener
  const me = await identifyBot(options.bot, signal)
  const session = { ...options, take, decide, signal, me, backlog: new Backlog() }
  let timeout = 0
  while (!signal.aborted) {
    const updates = await poll(session, timeout)
    listener.up(accountOf(me))
    await takeAll(session, updates)
    const { isWaiting } = session.backlog
    timeout = isWaiting ? 0 : pollTime
    if (isWaiting) await pause(limits.channelRetryFirst, undefined, { signal })
  }
}

export const receiveTelegram = async (options: ReceiveOptions, listener: Listener): Promise<void> => {
  try {
    await receiveUpdates(options, listener)
  } catch (error) {
    if (!listener.signal.aborted) throw faultOf(error)
  }
}
