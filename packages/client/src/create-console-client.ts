// Creates the client of the admin API for the browser. It only contains what the console uses, because a page loads all of it.
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
import { attemptHeaders, type AttemptOptions, changesApi } from './changes.ts'
import { eventsApi } from './events.ts'
import { filesApi } from './files.ts'
import type { MessagesQuery, Page } from './lists.ts'
import { modelsApi, registryApi } from './registry.ts'
import { type CallOptions, type ClientOptions, createExchange, type Exchange } from './request.ts'
import { serversApi } from './servers.ts'

const accessApi = ({ send, sendForText }: Exchange) => ({
  tokens: {
    list: (page: Page = {}, options?: CallOptions) => send({ method: 'GET', path: '/v1/tokens', query: { ...page } }, TokenList, options),
    /** Returns the secret, which cannot be retrieved later. */
    create: (body: v.InferInput<typeof NewToken>, options?: CallOptions) =>
      send({ method: 'POST', path: '/v1/tokens', body }, MintedToken, options),
    revoke: async (name: string, options?: CallOptions): Promise<void> => {
      await sendForText({ method: 'DELETE', path: `/v1/tokens/${encodeURIComponent(name)}` }, options)
    },
  },
  freezes: {
    list: (options?: CallOptions) => send({ method: 'GET', path: '/v1/freeze' }, FreezeList, options),
    /** Freezes the whole unit without a group. */
    freeze: (body: v.InferInput<typeof FreezeBody>, options?: CallOptions) =>
      send({ method: 'POST', path: '/v1/freeze', body }, Freeze, options),
    unfreeze: async (query: v.InferInput<typeof FreezeBody>, options?: CallOptions): Promise<void> => {
      await sendForText({ method: 'DELETE', path: '/v1/freeze', query: { ...query } }, options)
    },
  },
})

const chatApi = ({ send }: Exchange) => ({
  /** The reply arrives later as one of the messages. */
  send: (body: v.InferInput<typeof ChatSendBody>, options?: AttemptOptions) =>
    send({ method: 'POST', path: '/v1/ui/chat/send', body, headers: attemptHeaders(options) }, ChatSendAnswer, options),
  messages: (agentGroupID: string, query: MessagesQuery = {}, options?: CallOptions) =>
    send({ method: 'GET', path: `/v1/ui/chat/${encodeURIComponent(agentGroupID)}/messages`, query: { ...query } }, ChatMessages, options),
})

/** Every function rejects with `ServiceError`, or with the reason of the caller's signal. */
export const createConsoleClient = (options: ClientOptions) => {
  const exchange = createExchange(options)
  return {
    changes: changesApi(exchange),
    ...registryApi(exchange),
    ...accessApi(exchange),
    servers: serversApi(exchange),
    chat: chatApi(exchange),
    files: filesApi(exchange),
    models: modelsApi(exchange),
    /** Iterates over events of the journal until the caller aborts. */
    events: eventsApi(options),
    status: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/v1/status' }, Status, call),
    /** Metrics of the last hour, for plots. */
    history: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/v1/status/history' }, StatusHistory, call),
  }
}

export type ConsoleClient = ReturnType<typeof createConsoleClient>
