// Tool servers: the catalog, probes and logs.
import {
  BegunLogin,
  type CatalogEntry,
  DeclaredTools,
  limits,
  LoginProgress,
  LogoutOutcome,
  ProbeResult,
  PutServerAnswer,
  ReloadOutcome,
  ServerList,
  ServerLogs,
  ServerView,
} from '@gatehouse/contracts'
import type * as v from 'valibot'
import type { CallOptions, Exchange } from './request.ts'

export interface WriteOptions extends CallOptions {
  /** The `tag` of the entry that was read, or null if the entry must not exist. */
  readonly ifMatch?: string | null | undefined
}

export interface LogsQuery {
  readonly after?: number | undefined
  readonly limit?: number | undefined
}

const servers = '/v1/registry/mcp-servers'
const path = (name: string): string => `${servers}/${encodeURIComponent(name)}`

const preconditionHeaders = ({ ifMatch }: WriteOptions = {}): Record<string, string | undefined> => {
  if (ifMatch === undefined) return {}
  return ifMatch === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${ifMatch}"` }
}

export const serversApi = ({ send, sendForText }: Exchange) => ({
  list: (options?: CallOptions) => send({ method: 'GET', path: servers }, ServerList, options),
  show: (name: string, options?: CallOptions) => send({ method: 'GET', path: path(name) }, ServerView, options),
  /** The tools as last listed. */
  tools: (name: string, options?: CallOptions) => send({ method: 'GET', path: `${path(name)}/tools` }, DeclaredTools, options),
  /** Creates or replaces an entry. Returns the grants whose server changes with it. */
  put: (name: string, body: v.InferInput<typeof CatalogEntry>, options?: WriteOptions) =>
    send({ method: 'PUT', path: path(name), body, headers: preconditionHeaders(options) }, PutServerAnswer, options),
  remove: async (name: string, options?: WriteOptions): Promise<void> => {
    await sendForText({ method: 'DELETE', path: path(name), headers: preconditionHeaders(options) }, options)
  },
  probe: (name: string, options?: CallOptions) =>
    send({ method: 'POST', path: `${path(name)}/probe`, timeout: limits.probeTime + 5_000 }, ProbeResult, options),
  /** Begins a login of the unit at a remote server. The URL is for the browser of the caller. */
  beginLogin: (name: string, options?: CallOptions) =>
    send({ method: 'POST', path: `${path(name)}/login`, timeout: limits.probeTime + 5_000 }, BegunLogin, options),
  finishLogin: (name: string, id: string, options?: CallOptions) =>
    send({ method: 'POST', path: `${path(name)}/login/finish`, body: { id }, timeout: limits.probeTime + 5_000 }, LoginProgress, options),
  logout: (name: string, options?: CallOptions) =>
    send({ method: 'DELETE', path: `${path(name)}/login`, timeout: limits.probeTime + 5_000 }, LogoutOutcome, options),
  /** Standard error of a local server, after line `after`. */
  logs: (name: string, { after, limit }: LogsQuery = {}, options?: CallOptions) =>
    send({ method: 'GET', path: `${path(name)}/logs`, query: { after, limit } }, ServerLogs, options),
})

/** Makes the unit reread the catalog file. */
export const reloadApi =
  ({ send }: Exchange) =>
  (options?: CallOptions) =>
    send({ method: 'POST', path: '/v1/registry/reload' }, ReloadOutcome, options)
