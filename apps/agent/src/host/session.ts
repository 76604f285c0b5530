// Client of `session.sock`: identity, messages, replies and requests for changes.
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@gatehouse/contracts'
import { fields, list, text } from './fields.ts'
import { type Answer, retryUntilAccepted } from './request.ts'

/** The host holds an empty inbox for so long. */
const wait = limits.inboxWait / 1000
const short = 15_000
/** The host copies files before it answers. */
const copyTime = 60_000
const pollTime = limits.inboxWait + short
const pauseAfterRefusal = 1_000

export interface Message {
  readonly id: string
  readonly from: string
  readonly text: string
}

export interface SessionInfo {
  readonly session: string
  readonly agent: string
  /** How its group is called. */
  readonly name: string
  readonly persona: string
  /** Built-in tools that are on. */
  readonly tools: readonly string[]
  /** Those that are on and cannot be used in this unit: the reason by name. */
  readonly unavailable: Readonly<Record<string, unknown>>
  /** For an agent that asks a model. */
  readonly model?: { readonly provider: string; readonly id: string } | undefined
}

export interface SessionClient {
  info(): Promise<SessionInfo>
  inbox(): Promise<Message[]>
  acknowledge(id: string): Promise<void>
  /** The same id twice is one message. */
  reply(message: { id: string; text: string; inReplyTo: string; files?: readonly string[] }): Promise<Answer>
  /** Asked once: an answer that is lost rejects with `Unanswered`. */
  requestChange(request: { kind: string; after: unknown; reason: string }): Promise<Answer>
  /** Twice is as good as once. */
  withdrawChange(id: string, reason: string): Promise<Answer>
}

const toMessage = (value: unknown): Message[] => {
  const message = fields(value)
  const id = text(message['id'])
  return id === undefined ? [] : [{ id, from: text(message['from']) ?? 'user', text: text(message['text']) ?? '' }]
}

export const createSession = (socket: string, signal: AbortSignal): SessionClient => {
  const get = (path: string, time: number) => retryUntilAccepted({ socket, method: 'GET', path, time, signal }, 'always')
  const post = (path: string, body: unknown, time = short) =>
    retryUntilAccepted({ socket, method: 'POST', path, body, time, signal }, 'always')
  return {
    info: async () => {
      const { status, body } = await get('/session', short)
      const info = fields(body)
      const [session, agent] = [text(info['session']), text(info['agent'])]
      if (session === undefined || agent === undefined) throw new TypeError(`expected a session from GET /session, got status ${status}`)
      const { provider, id } = fields(info['model'])
      const [by, called] = [text(provider), text(id)]
      return {
        session,
        agent,
        name: text(info['name']) ?? '',
        persona: text(info['persona']) ?? '',
        tools: list(info['tools']).flatMap((tool) => text(tool) ?? []),
        unavailable: fields(info['unavailable']),
        model: by === undefined || called === undefined ? undefined : { provider: by, id: called },
      }
    },
    inbox: async () => {
      const { status, body } = await get(`/inbox?wait=${wait}`, pollTime)
      if (status !== 200) await sleep(pauseAfterRefusal, undefined, { signal })
      return list(fields(body)['messages']).flatMap(toMessage)
    },
    acknowledge: async (id) => {
      await post(`/inbox/${encodeURIComponent(id)}/ack`, {})
    },
    reply: (message) => post('/outbox', message, message.files === undefined ? short : copyTime),
    withdrawChange: (id, reason) => post(`/changes/${encodeURIComponent(id)}/withdraw`, { reason }),
    requestChange: (request) =>
      retryUntilAccepted({ socket, method: 'POST', path: '/changes', body: request, time: short, signal }, 'unsent'),
  }
}
