// The admin API as functions, grouped as its resources are.
import {
  type BackupOrder,
  ChatMessages,
  ChatSendAnswer,
  type ChatSendBody,
  limits,
  Ready,
  SealProof,
  Status,
  StatusHistory,
} from '@gatehouse/contracts'
import type * as v from 'valibot'
import { type AttemptOptions, attemptHeaders, changesOf } from './changes.ts'
import { eventsOf } from './events.ts'
import { filesOf } from './files.ts'
import type { MessagesWanted } from './lists.ts'
import { modelsOf } from './models.ts'
import { peopleOf } from './people.ts'
import { registryOf } from './registry.ts'
import { type CallOptions, type ClientOptions, createExchange, type Exchange } from './request.ts'
import { serversOf } from './servers.ts'

const chatOf = ({ send }: Exchange) => ({
  /** The reply comes later, among the messages. */
  send: (body: v.InferInput<typeof ChatSendBody>, options?: AttemptOptions) =>
    send({ method: 'POST', path: '/v1/ui/chat/send', body, headers: attemptHeaders(options) }, ChatSendAnswer, options),
  messages: (agentGroupID: string, wanted: MessagesWanted = {}, options?: CallOptions) =>
    send({ method: 'GET', path: `/v1/ui/chat/${encodeURIComponent(agentGroupID)}/messages`, query: { ...wanted } }, ChatMessages, options),
})

/** Every function rejects with `ServiceError`, or with the reason of the caller's own signal. */
export const createClient = (options: ClientOptions) => {
  const exchange = createExchange(options)
  return {
    changes: changesOf(exchange),
    ...registryOf(exchange),
    ...peopleOf(exchange),
    servers: serversOf(exchange),
    models: modelsOf(exchange),
    chat: chatOf(exchange),
    files: filesOf(exchange),
    /** News of the journal, until the caller ends it. */
    events: eventsOf(options),
    status: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/v1/status' }, Status, call),
    /** The last hour in numbers, for plots. */
    history: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/v1/status/history' }, StatusHistory, call),
    /** Also resolves for a unit that is not ready. */
    ready: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/readyz', accept: [503] }, Ready, call),
    /** Launches trial sandboxes, which takes seconds. */
    proveSeal: (call?: CallOptions) =>
      exchange.send({ method: 'POST', path: '/v1/sandbox/probe', timeout: limits.sealProofTime + 5_000 }, SealProof, call),
    /** An age stream; read it to its end, which shows that it is whole. */
    backup: async (order: BackupOrder, call?: CallOptions) => {
      const { headers, body } = await exchange.sendForStream(
        { method: 'POST', path: '/v1/backup', body: order, timeout: limits.backupTime },
        call,
      )
      const name = /filename="([A-Za-z0-9._-]{1,100})"/.exec(headers.get('content-disposition') ?? '')?.[1]
      return { name: name ?? 'gatehouse.age', body }
    },
    /** Prometheus text exposition. */
    metrics: (call?: CallOptions) => exchange.sendForText({ method: 'GET', path: '/metrics' }, call),
  }
}

export type Client = ReturnType<typeof createClient>
