// What a person in a browser does with the admin API, and no more: a page loads all of it.
import {
  ChatMessages,
  ChatSendAnswer,
  type ChatSendBody,
  Freeze,
  type FreezeBody,
  FreezeList,
  MintedToken,
  type NewToken,
  Status,
  StatusHistory,
  TokenList,
} from '@gatehouse/contracts'
import type * as v from 'valibot'
import { attemptHeaders, type AttemptOptions, changesOf } from './changes.ts'
import { eventsOf } from './events.ts'
import { filesOf } from './files.ts'
import type { MessagesWanted, Page } from './lists.ts'
import { modelsOf, registryOf } from './registry.ts'
import { type CallOptions, type ClientOptions, createExchange, type Exchange } from './request.ts'
import { serversOf } from './servers.ts'

const peopleOf = ({ send, sendForText }: Exchange) => ({
  tokens: {
    list: (page: Page = {}, options?: CallOptions) => send({ method: 'GET', path: '/v1/tokens', query: { ...page } }, TokenList, options),
    /** The secret is in the answer and never shown again. */
    create: (body: v.InferInput<typeof NewToken>, options?: CallOptions) =>
      send({ method: 'POST', path: '/v1/tokens', body }, MintedToken, options),
    revoke: async (name: string, options?: CallOptions): Promise<void> => {
      await sendForText({ method: 'DELETE', path: `/v1/tokens/${encodeURIComponent(name)}` }, options)
    },
  },
  freezes: {
    list: (options?: CallOptions) => send({ method: 'GET', path: '/v1/freeze' }, FreezeList, options),
    /** Without a group: the whole unit. */
    freeze: (body: v.InferInput<typeof FreezeBody>, options?: CallOptions) =>
      send({ method: 'POST', path: '/v1/freeze', body }, Freeze, options),
    unfreeze: async (wanted: v.InferInput<typeof FreezeBody>, options?: CallOptions): Promise<void> => {
      await sendForText({ method: 'DELETE', path: '/v1/freeze', query: { ...wanted } }, options)
    },
  },
})

const chatOf = ({ send }: Exchange) => ({
  /** The reply comes later, among the messages. */
  send: (body: v.InferInput<typeof ChatSendBody>, options?: AttemptOptions) =>
    send({ method: 'POST', path: '/v1/ui/chat/send', body, headers: attemptHeaders(options) }, ChatSendAnswer, options),
  messages: (agentGroupID: string, wanted: MessagesWanted = {}, options?: CallOptions) =>
    send({ method: 'GET', path: `/v1/ui/chat/${encodeURIComponent(agentGroupID)}/messages`, query: { ...wanted } }, ChatMessages, options),
})

/** Every function rejects with `ServiceError`, or with the reason of the caller's own signal. */
export const createConsoleClient = (options: ClientOptions) => {
  const exchange = createExchange(options)
  return {
    changes: changesOf(exchange),
    ...registryOf(exchange),
    ...peopleOf(exchange),
    servers: serversOf(exchange),
    chat: chatOf(exchange),
    files: filesOf(exchange),
    models: modelsOf(exchange),
    /** News of the journal, until the caller ends it. */
    events: eventsOf(options),
    status: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/v1/status' }, Status, call),
    /** The last hour in numbers, for plots. */
    history: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/v1/status/history' }, StatusHistory, call),
  }
}

export type ConsoleClient = ReturnType<typeof createConsoleClient>
