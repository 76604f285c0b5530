// Receives from Slack's socket. Each envelope is acknowledged after its message is on disk. Slack redelivers unacknowledged envelopes up
// to three times with the same id. Button clicks are acknowledged immediately, because a person is waiting.
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@gatehouse/contracts'
import { KeyedQueue, type Logger } from '@gatehouse/kernel'
import type { SocketModeClient } from '@slack/socket-mode'
import { ChannelFault, type Inbound, type Listener } from '../channel.ts'
import type { App } from './app.ts'
import { handleInteraction, type CardsDeps } from './cards.ts'
import { faultOf, retryAfterMs } from './faults.ts'
import { parseInteraction } from './interaction.ts'
import { readEvent } from './read.ts'
import { accountOf, identifyBot, type Me } from './verify.ts'

export interface ReceiveOptions {
  readonly app: App
  readonly log: Logger
  readonly cards: CardsDeps
}

interface Session extends ReceiveOptions {
  readonly me: Me
  readonly listener: Listener
  /** Keeps messages of one address in order. */
  readonly turns: KeyedQueue
}

interface Envelope {
  readonly ack: () => Promise<void>
  readonly type: string
  readonly body?: unknown
}

/** Whether the message is processed. Retries until the unit can store it, because Slack gives up after minutes. */
const processMessage = async ({ log, listener }: Session, message: Inbound, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    try {
      const outcome = await listener.take(message)
      return outcome !== 'busy' && outcome !== 'full'
    } catch (error) {
      log.debug('channel message will be retried', { channel: 'slack', error })
      await pause(limits.channelRetryFirst, undefined, { signal }).catch(() => undefined)
    }
  }
  return false
}

const processInteraction = async ({ me, cards, listener, log }: Session, { ack, body }: Envelope): Promise<void> => {
  await ack().catch(() => undefined)
  const pressed = parseInteraction(body, me)
  if (pressed !== undefined) await handleInteraction({ ...cards, listener, log }, pressed)
}

const processEnvelope = async (session: Session, envelope: Envelope, signal: AbortSignal): Promise<void> => {
  if (envelope.type === 'interactive') return processInteraction(session, envelope)
  const { ack, body } = envelope
  const message = readEvent(body, session.app, session.me)
  const isDone = message === undefined || (await session.turns.run(message.address, () => processMessage(session, message, signal)))
  if (!isDone) return
  // If the connection is gone, Slack redelivers the message, which is then a duplicate.
  await ack().catch(() => undefined)
}

/** Resolves when the connection ended. Rejects if it could not be established. */
const connection = async (session: Session, socket: SocketModeClient): Promise<void> => {
  const { listener, me, log } = session
  const ended = new AbortController()
  const end = (): void => ended.abort()
  socket.on('error', () => undefined)
  socket.on('disconnected', end)
  socket.on('slack_event', (envelope: Envelope) => {
    processEnvelope(session, envelope, ended.signal).catch((error: unknown) => log.warn('could not process Slack event', { error }))
  })
  // Its promise never settles if the connection ends before Slack's greeting.
  const greeting = setTimeout(() => void socket.disconnect(), limits.channelSendTime)
  await socket.start().finally(() => clearTimeout(greeting))
  listener.up(accountOf(me))
  const over = AbortSignal.any([ended.signal, listener.signal])
  if (!over.aborted) await once(over, 'abort')
}

const open = async (session: Session): Promise<void> => {
  const { app, listener } = session
  const closing = new AbortController()
  const socket = app.socket(AbortSignal.any([listener.signal, closing.signal]))
  const close = (): void => void socket.disconnect().catch(() => undefined)
  listener.signal.addEventListener('abort', close)
  try {
    await connection(session, socket)
  } catch (error) {
    const delay = retryAfterMs(error)
    if (delay === undefined)
      throw error instanceof Error ? error : new ChannelFault('away', 'Slack closed the connection before it was established')
    await pause(delay, undefined, { signal: listener.signal })
  } finally {
    listener.signal.removeEventListener('abort', close)
    closing.abort()
  }
}

/** Slack closes connections every few hours. One that closes immediately counts as a failure. */
export const receiveSlack = async (options: ReceiveOptions, listener: Listener): Promise<void> => {
  try {
    const me = await identifyBot(options.app, listener.signal)
    const turns = new KeyedQueue()
    while (!listener.signal.aborted) {
      const began = performance.now()
      await open({ ...options, me, listener, turns })
      const elapsed = performance.now() - began
      if (!listener.signal.aborted && elapsed < limits.channelSocketLeast) throw new ChannelFault('away', 'Slack closed the connection')
    }
  } catch (error) {
    if (!listener.signal.aborted) throw faultOf(error)
  }
}
