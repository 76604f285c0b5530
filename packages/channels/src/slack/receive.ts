// Hears Slack by its socket: each envelope is acknowledged once its message is on disk. What was not acknowledged Slack brings
// again, up to three times; what comes twice has the same id. A pressed button is acknowledged at once: who pressed it waits.
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@gatehouse/contracts'
import { KeyedTurns, type Logger } from '@gatehouse/kernel'
import type { SocketModeClient } from '@slack/socket-mode'
import { ChannelFault, type Inbound, type Listener } from '../channel.ts'
import type { App } from './app.ts'
import { answerPress, type CardsDeps } from './cards.ts'
import { faultOf, patienceOf } from './faults.ts'
import { readPress } from './interaction.ts'
import { readEvent } from './read.ts'
import { accountOf, introduce, type Me } from './verify.ts'

export interface Hearing {
  readonly app: App
  readonly log: Logger
  readonly cards: CardsDeps
}

interface Session extends Hearing {
  readonly me: Me
  readonly listener: Listener
  /** Messages of one place keep their order. */
  readonly turns: KeyedTurns
}

interface Envelope {
  readonly ack: () => Promise<void>
  readonly type: string
  readonly body?: unknown
}

/** Whether it is dealt with. Until the unit can keep it, it is tried again: Slack itself gives up after minutes. */
const dealWith = async ({ log, listener }: Session, message: Inbound, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    try {
      const outcome = await listener.take(message)
      return outcome !== 'busy' && outcome !== 'full'
    } catch (error) {
      log.debug('a message of a channel is taken again', { channel: 'slack', error })
      await pause(limits.channelRetryFirst, undefined, { signal }).catch(() => undefined)
    }
  }
  return false
}

const answerPressed = async ({ me, cards, listener, log }: Session, { ack, body }: Envelope): Promise<void> => {
  await ack().catch(() => undefined)
  const pressed = readPress(body, me)
  if (pressed !== undefined) await answerPress({ ...cards, listener, log }, pressed)
}

const answer = async (session: Session, envelope: Envelope, signal: AbortSignal): Promise<void> => {
  if (envelope.type === 'interactive') return answerPressed(session, envelope)
  const { ack, body } = envelope
  const message = readEvent(body, session.app, session.me)
  const isDone = message === undefined || (await session.turns.run(message.address, () => dealWith(session, message, signal)))
  if (!isDone) return
  // On a connection that is gone it is not heard: then the message comes again, and is known.
  await ack().catch(() => undefined)
}

/** Resolves when Slack ended the connection or it was lost. Rejects where it does not come about. */
const connection = async (session: Session, socket: SocketModeClient): Promise<void> => {
  const { listener, me, log } = session
  const ended = new AbortController()
  const end = (): void => ended.abort()
  socket.on('error', () => undefined)
  socket.on('disconnected', end)
  socket.on('slack_event', (envelope: Envelope) => {
    answer(session, envelope, ended.signal).catch((error: unknown) => log.warn('an event of Slack was not dealt with', { error }))
  })
  // Its promise rejects with nothing when the connection ends before Slack has greeted.
  const greeting = setTimeout(() => void socket.disconnect(), limits.channelSendTime)
  await socket.start().finally(() => clearTimeout(greeting))
  listener.up(accountOf(me))
  const over = AbortSignal.any([ended.signal, listener.signal])
  if (!over.aborted) await once(over, 'abort')
}

const open = async (session: Session): Promise<void> => {
  const { app, listener } = session
  const given = new AbortController()
  const socket = app.socket(AbortSignal.any([listener.signal, given.signal]))
  const close = (): void => void socket.disconnect().catch(() => undefined)
  listener.signal.addEventListener('abort', close)
  try {
    await connection(session, socket)
  } catch (error) {
    const patience = patienceOf(error)
    if (patience === undefined)
      throw error instanceof Error ? error : new ChannelFault('away', 'Slack ended the connection before it stood')
    await pause(patience, undefined, { signal: listener.signal })
  } finally {
    listener.signal.removeEventListener('abort', close)
    given.abort()
  }
}

/** Slack ends a connection every few hours. One that ends at once is no connection. */
export const receiveSlack = async (hearing: Hearing, listener: Listener): Promise<void> => {
  try {
    const me = await introduce(hearing.app, listener.signal)
    const turns = new KeyedTurns()
    while (!listener.signal.aborted) {
      const began = performance.now()
      await open({ ...hearing, me, listener, turns })
      const stood = performance.now() - began
      if (!listener.signal.aborted && stood < limits.channelSocketLeast) throw new ChannelFault('away', 'Slack ended the connection')
    }
  } catch (error) {
    if (!listener.signal.aborted) throw faultOf(error)
  }
}
