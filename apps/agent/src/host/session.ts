// Client of `session.sock`: identity, messages, replies and requests for changes.
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@gatehouse/contracts'
import { fields, list, text } from './fields.ts'
import { type Answer, retryUntilAccepted } from './request.ts'

/** Seconds that the host waits before it returns an empty inbox. */
const inboxWaitSeconds = limits.inboxWait / 1000
const requestTime = 15_000
/** For replies with files, which the host copies before it responds. */
const copyTime = 60_000
const pollTime = limits.inboxWait + requestTime
const delayAfterRefusal = 1_000

export interface Message {
  readonly id: string
  readonly from: string
  readonly text: string
}

export interface SessionInfo {
  readonly session: string
  readonly agent: string
  /** Name of the agent group. */
  readonly name: string
  readonly persona: string
  /** Enabled built-in tools. */
  readonly tools: readonly string[]
  /** Reasons, by name, for enabled built-in tools that cannot be used on this unit. */
  readonly unavailable: Readonly<Record<string, unknown>>
  /** Only for a model agent. */
  readonly model?: { readonly provider: string; readonly id: string } | undefined
}

export interface SessionClient {
  info(): Promise<SessionInfo>
  inbox(): Promise<Message[]>
  acknowledge(id: string): Promise<void>
  /** Idempotent by id. */
  reply(message: { id: string; text: string; inReplyTo: string; files?: readonly string[] }): Promise<Answer>
  /** Not retried: rejects with `Unanswered` if the response is lost. */
  requestChange(request: { kind: string; after: unknown; reason: string }): Promise<Answer>
  /** Idempotent. */
  withdrawChange(id: string, reason: string): Promise<Answer>
}

const toMessage = (value: unknown): Message[] => {
  const message = fields(value)
  const id = text(message['id'])
  return id === undefined ? [] : [{ id, from: text(message['from']) ?? 'user', text: text(message['text']) ?? '' }]
}

export const createSession = (socket: string, signal: AbortSignal): SessionClient => {
  const get = (path: string, time: number) => retryUntilAccepted({ socket, method: 'GET', path, time, signal }, 'always')
  const post = (path: string, body: unknown, time = requestTime) =>
    retryUntilAccepted({ socket, method: 'POST', path, body, time, signal }, 'always')
  return {
    info: async () => {
      const { status, body } = await get('/session', requestTime)
      const info = fields(body)
      const [session, agent] = [text(info['session']), text(info['agent'])]
      if (session === undefined || agent === undefined) throw new TypeError(`GET /session returned no session (status ${status})`)
      const { provider, id } = fields(info['model'])
      const [providerName, modelID] = [text(provider), text(id)]
      return {
        session,
        agent,
        name: text(info['name']) ?? '',
        persona: text(info['persona']) ?? '',
        tools: list(info['tools']).flatMap((tool) => text(tool) ?? []),
        unavailable: fields(info['unavailable']),
        model: providerName === undefined || modelID === undefined ? undefined : { provider: providerName, id: modelID },
      }
    },
    inbox: async () => {
      const { status, body } = await get(`/inbox?wait=${inboxWaitSeconds}`, pollTime)
      if (status !== 200) await sleep(delayAfterRefusal, undefined, { signal })
      return list(fields(body)['messages']).flatMap(toMessage)
    },
    acknowledge: async (id) => {
      await post(`/inbox/${encodeURIComponent(id)}/ack`, {})
    },
    reply: (message) => post('/outbox', message, message.files === undefined ? requestTime : copyTime),
    withdrawChange: (id, reason) => post(`/changes/${encodeURIComponent(id)}/withdraw`, { reason }),
    requestChange: (request) =>
      retryUntilAccepted({ socket, method: 'POST', path: '/changes', body: request, time: requestTime, signal }, 'unsent'),
  }
}
