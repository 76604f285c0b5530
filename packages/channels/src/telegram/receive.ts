// Receives updates of Telegram by long polling, in order within each chat. An update is confirmed only after it is on disk.
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Inbound, Listener } from '../channel.ts'
import { type Bot, pollTime } from './bot.ts'
import { faultOf, patienceOf } from './faults.ts'
import { dealWithPress } from './interaction.ts'
import { readMessage } from './read.ts'
import { Update } from './update.ts'
import { accountOf, introduce, type Me } from './verify.ts'

/** Which updates were dealt with. Telegram forgets what lies before the number that is asked for, and brings the rest again after
 * a death: so the number never passes one that is still to be taken. It is Telegram that keeps it. */
class Backlog {
  readonly #done = new Set<number>()
  /** Since when each waits for room in its conversation, milliseconds. */
  readonly #since = new Map<number, number>()
  #next: number | undefined

  /** What to ask for: the first that was not dealt with. */
  get next(): number | undefined {
    return this.#next
  }

  /** Some of what was brought must be brought again. */
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

  /** False when it has waited for long enough: a conversation that is flooded must not hold up the others for ever. */
  hold(id: number): boolean {
    const now = performance.now()
    const since = this.#since.get(id) ?? now
    this.#since.set(id, since)
    return now - since < limits.channelHold
  }

  /** However long it takes: what it waited for before counts no more. */
  keep(id: number): void {
    this.#since.set(id, performance.now())
  }

  /** `brought`: all of one answer. After an empty one nothing is left there that was dealt with here. */
  advance(brought: readonly number[]): void {
    const open = brought.filter((id) => !this.#done.has(id))
    this.#next = brought.length === 0 ? undefined : open.length > 0 ? Math.min(...open) : Math.max(...brought) + 1
    for (const id of this.#done) if (this.#next === undefined || id < this.#next) this.#done.delete(id)
    for (const id of this.#since.keys()) if (!brought.includes(id)) this.#since.delete(id)
  }
}

export interface Hearing {
  readonly bot: Bot
  readonly log: Logger
}

interface Session extends Hearing, Pick<Listener, 'take' | 'decide' | 'signal'> {
  readonly me: Me
  readonly backlog: Backlog
}

/** What was brought; nothing where Telegram asked for a pause, which was then made. */
const poll = async ({ bot, backlog, signal }: Session, timeout: number): Promise<Update[]> => {
  const offset = backlog.next
  try {
    const asked = { ...(offset !== undefined && { offset }), limit: 50, timeout, allowed_updates: ['message', 'callback_query'] as const }
    const updates = await bot.api(signal).getUpdates(asked)
    return updates.filter((update) => v.is(Update, update))
  } catch (error) {
    const patience = patienceOf(error)
    if (patience === undefined) throw faultOf(error)
    await pause(patience, undefined, { signal })
    return []
  }
}

/** Why a message waits: its conversation had too much at once, or has no room, or a part of the unit is away. */
type Hindrance = 'busy' | 'full' | 'away'

interface Turn {
  /** Of the update. */
  readonly id: number
  /** By place. */
  readonly waiting: Map<string, Hindrance>
}

/** Undefined: the message is dealt with. */
const dealWith = async ({ log, take, backlog }: Session, id: number, message: Inbound): Promise<Hindrance | undefined> => {
  try {
    const outcome = await take(message)
    if (outcome !== 'busy' && outcome !== 'full') return undefined
    if (backlog.hold(id)) return outcome
    log.warn('a message was let go of: its conversation had no room for too long', { channel: 'telegram', outcome })
    return undefined
  } catch (error) {
    log.debug('a message of a channel is brought again', { channel: 'telegram', error })
    backlog.keep(id)
    return 'away'
  }
}

/** A place whose message waits gets none of its later ones in. They wait as long as the first, or each in turn would hold up all others. */
const takeInTurn = async (session: Session, message: Inbound, { id, waiting }: Turn): Promise<void> => {
  const { backlog } = session
  const first = waiting.get(message.address)
  if (first === 'full') backlog.hold(id)
  if (first === 'away') backlog.keep(id)
  if (first !== undefined) return
  const hindrance = await dealWith(session, id, message)
  if (hindrance === undefined) backlog.settle(id)
  else waiting.set(message.address, hindrance)
}

/** Presses wait for nothing: each is about what its card showed. */
const takeAll = async (session: Session, updates: readonly Update[]): Promise<void> => {
  const { backlog, bot, me, signal } = session
  const waiting: Turn['waiting'] = new Map()
  for (const { update_id: id, message: given, callback_query: pressed } of updates) {
    if (signal.aborted) return
    if (backlog.has(id)) continue
    if (pressed !== undefined) await dealWithPress(session, pressed)
    const message = readMessage(given, bot, me)
    if (message === undefined) backlog.settle(id)
    else await takeInTurn(session, message, { id, waiting })
  }
  backlog.advance(updates.map(({ update_id }) => update_id))
}

const hear = async (hearing: Hearing, listener: Listener): Promise<void> => {
  const { take, decide, signal } = listener
  const me = await introduce(hearing.bot, signal)
  const session = { ...hearing, take, decide, signal, me, backlog: new Backlog() }
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

export const receiveTelegram = async (hearing: Hearing, listener: Listener): Promise<void> => {
  try {
    await hear(hearing, listener)
  } catch (error) {
    if (!listener.signal.aborted) throw faultOf(error)
  }
}
