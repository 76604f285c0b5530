// The admin API as functions, grouped as its resources are.
import {
  AuditList,
  type CatalogEntry,
  Change,
  ChangeList,
  ChatMessages,
  ChatSendAnswer,
  type ChatSendBody,
  type DecisionBody,
  GrantList,
  GroupList,
  limits,
  ProbeResult,
  Ready,
  ServerList,
  ServerView,
  SessionList,
  Status,
  SubmitAnswer,
  type SubmitBody,
} from '@gatehouse/contracts'
import type * as v from 'valibot'
import { type CallOptions, type ClientOptions, createExchange, type Exchange } from './request.ts'

/** `nextCursor` of one answer is `cursor` of the next question. */
export interface Page {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface MessagesWanted {
  /** Only messages with a greater `seq`. */
  readonly after?: number | undefined
  readonly limit?: number | undefined
  readonly conversation?: string | undefined
}

const encode = encodeURIComponent

const changesOf = ({ send }: Exchange) => ({
  submit: (body: v.InferInput<typeof SubmitBody>, options?: CallOptions) =>
    send({ method: 'POST', path: '/v1/changes', body }, SubmitAnswer, options),
  pending: (page: Page = {}, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/changes/pending', query: { ...page } }, ChangeList, options),
  history: (page: Page = {}, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/changes/history', query: { ...page } }, ChangeList, options),
  show: (id: string, options?: CallOptions) => send({ method: 'GET', path: `/v1/changes/${encode(id)}` }, Change, options),
  decide: (id: string, body: v.InferInput<typeof DecisionBody>, options?: CallOptions) =>
    send({ method: 'POST', path: `/v1/changes/${encode(id)}/decision`, body }, Change, options),
})

const listsOf = ({ send }: Exchange) => ({
  audit: {
    list: (page: Page = {}, options?: CallOptions) => send({ method: 'GET', path: '/v1/audit', query: { ...page } }, AuditList, options),
  },
  groups: {
    list: (page: Page = {}, options?: CallOptions) =>
      send({ method: 'GET', path: '/v1/agent-groups', query: { ...page } }, GroupList, options),
  },
  grants: {
    list: (page: Page = {}, options?: CallOptions) => send({ method: 'GET', path: '/v1/grants', query: { ...page } }, GrantList, options),
  },
  sessions: {
    list: (options?: CallOptions) => send({ method: 'GET', path: '/v1/sessions' }, SessionList, options),
  },
})

const servers = '/v1/registry/mcp-servers'

const serversOf = ({ send, sendForText }: Exchange) => ({
  list: (options?: CallOptions) => send({ method: 'GET', path: servers }, ServerList, options),
  show: (name: string, options?: CallOptions) => send({ method: 'GET', path: `${servers}/${encode(name)}` }, ServerView, options),
  /** Creates or replaces. */
  put: (name: string, body: v.InferInput<typeof CatalogEntry>, options?: CallOptions) =>
    send({ method: 'PUT', path: `${servers}/${encode(name)}`, body }, ServerView, options),
  remove: async (name: string, options?: CallOptions): Promise<void> => {
    await sendForText({ method: 'DELETE', path: `${servers}/${encode(name)}` }, options)
  },
  probe: (name: string, options?: CallOptions) =>
    send({ method: 'POST', path: `${servers}/${encode(name)}/probe`, timeout: limits.probeTime + 5_000 }, ProbeResult, options),
})

const chatOf = ({ send }: Exchange) => ({
  /** The reply comes later, among the messages. */
  send: (body: v.InferInput<typeof ChatSendBody>, options?: CallOptions) =>
    send({ method: 'POST', path: '/v1/ui/chat/send', body }, ChatSendAnswer, options),
  messages: (agentGroupID: string, wanted: MessagesWanted = {}, options?: CallOptions) =>
    send({ method: 'GET', path: `/v1/ui/chat/${encode(agentGroupID)}/messages`, query: { ...wanted } }, ChatMessages, options),
})

/** Every function rejects with `ServiceError`, or with the reason of the caller's own signal. */
export const createClient = (options: ClientOptions) => {
  const exchange = createExchange(options)
  return {
    changes: changesOf(exchange),
    ...listsOf(exchange),
    servers: serversOf(exchange),
    chat: chatOf(exchange),
    status: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/v1/status' }, Status, call),
    /** Also resolves for a unit that is not ready. */
    ready: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/readyz', accept: [503] }, Ready, call),
    /** Prometheus text exposition. */
    metrics: (call?: CallOptions) => exchange.sendForText({ method: 'GET', path: '/metrics' }, call),
  }
}

export type Client = ReturnType<typeof createClient>
