// Tool servers: the catalog, probes, the file read again.
import {
  type CatalogEntry,
  DeclaredTools,
  limits,
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
  /** `tag` of the entry as it was read; null for "there must be none". */
  readonly ifMatch?: string | null | undefined
}

export interface LogsFrom {
  readonly after?: number | undefined
  readonly limit?: number | undefined
}

const servers = '/v1/registry/mcp-servers'
const path = (name: string): string => `${servers}/${encodeURIComponent(name)}`

const conditionOf = ({ ifMatch }: WriteOptions = {}): Record<string, string | undefined> => {
  if (ifMatch === undefined) return {}
  return ifMatch === null ? { 'If-None-Match': '*' } : { 'If-Match': `"${ifMatch}"` }
}

export const serversOf = ({ send, sendForText }: Exchange) => ({
  list: (options?: CallOptions) => send({ method: 'GET', path: servers }, ServerList, options),
  show: (name: string, options?: CallOptions) => send({ method: 'GET', path: path(name) }, ServerView, options),
  /** As they were last listed. */
  tools: (name: string, options?: CallOptions) => send({ method: 'GET', path: `${path(name)}/tools` }, DeclaredTools, options),
  /** Creates or replaces; answers with the grants whose server is another one from now on. */
  put: (name: string, body: v.InferInput<typeof CatalogEntry>, options?: WriteOptions) =>
    send({ method: 'PUT', path: path(name), body, headers: conditionOf(options) }, PutServerAnswer, options),
  remove: async (name: string, options?: WriteOptions): Promise<void> => {
    await sendForText({ method: 'DELETE', path: path(name), headers: conditionOf(options) }, options)
  },
  probe: (name: string, options?: CallOptions) =>
    send({ method: 'POST', path: `${path(name)}/probe`, timeout: limits.probeTime + 5_000 }, ProbeResult, options),
  /** What a local server wrote to its stderr, from behind `after` on. */
  logs: (name: string, { after, limit }: LogsFrom = {}, options?: CallOptions) =>
    send({ method: 'GET', path: `${path(name)}/logs`, query: { after, limit } }, ServerLogs, options),
})

/** Has the catalog file read again. */
export const reloadOf =
  ({ send }: Exchange) =>
  (options?: CallOptions) =>
    send({ method: 'POST', path: '/v1/registry/reload' }, ReloadOutcome, options)
