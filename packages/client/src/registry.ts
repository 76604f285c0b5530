// Groups, wirings, grants, sessions, the journal, and explanations of authorization.
import {
  AgentGroup,
  AuditHead,
  AuditList,
  AuditVerdict,
  CallList,
  Explanation,
  GrantList,
  GroupList,
  limits,
  ModelCallList,
  ModelList,
  ProviderCheck,
  SessionList,
  SessionLogs,
  WiringList,
} from '@gatehouse/contracts'
import type { AuditQuery, CallsQuery, GroupQuery, ModelCallsQuery, Page, SessionsQuery } from './lists.ts'
import type { CallOptions, Exchange } from './request.ts'

const encode = encodeURIComponent

const sessionsApi = ({ send, sendForText }: Exchange) => ({
  list: (query: SessionsQuery = {}, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/sessions', query: { ...query } }, SessionList, options),
  /** After the response, every request of the session is refused. */
  terminate: async (id: string, body: { readonly reason?: string } = {}, options?: CallOptions): Promise<void> => {
    await sendForText({ method: 'POST', path: `/v1/sessions/${encode(id)}/terminate`, body }, options)
  },
  /** Stops the current turn of the agent. */
  cancel: async (id: string, options?: CallOptions): Promise<void> => {
    await sendForText({ method: 'POST', path: `/v1/sessions/${encode(id)}/cancel` }, options)
  },
  /** Deletes the messages of a closed session and its key. */
  purge: async (id: string, options?: CallOptions): Promise<void> => {
    await sendForText({ method: 'POST', path: `/v1/sessions/${encode(id)}/purge` }, options)
  },
  logs: (id: string, query: { limit?: number } = {}, options?: CallOptions) =>
    send({ method: 'GET', path: `/v1/sessions/${encode(id)}/logs`, query }, SessionLogs, options),
  /** Resumes a parked session. */
  resume: async (id: string, options?: CallOptions): Promise<void> => {
    await sendForText({ method: 'POST', path: `/v1/sessions/${encode(id)}/resume` }, options)
  },
})

export const registryApi = (exchange: Exchange) => {
  const { send } = exchange
  return {
    audit: {
      list: (query: AuditQuery = {}, options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/audit', query: { ...query } }, AuditList, options),
      /** A page can be empty and still have a cursor, because each page scans a limited part of the journal. */
      calls: (query: CallsQuery = {}, options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/audit/calls', query: { ...query } }, CallList, options),
      verify: (options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/audit/verify', timeout: limits.journalCheckTime }, AuditVerdict, options),
    },
    groups: {
      list: (page: Page = {}, options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/agent-groups', query: { ...page } }, GroupList, options),
      show: (id: string, options?: CallOptions) => send({ method: 'GET', path: `/v1/agent-groups/${encode(id)}` }, AgentGroup, options),
    },
    wirings: {
      list: (query: GroupQuery = {}, options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/wirings', query: { ...query } }, WiringList, options),
    },
    grants: {
      list: (query: GroupQuery = {}, options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/grants', query: { ...query } }, GrantList, options),
    },
    sessions: sessionsApi(exchange),
  }
}

export const auditHeadApi =
  ({ send }: Exchange) =>
  (options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/audit/head' }, AuditHead, options)

/** `tool` is the name that the agent sees: `<server>__<tool>`. */
export const explainApi =
  ({ send }: Exchange) =>
  (agentGroupID: string, tool: string, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/explain', query: { agentGroupID, tool } }, Explanation, options)

export const modelsApi = ({ send }: Exchange) => ({
  list: (options?: CallOptions) => send({ method: 'GET', path: '/v1/models' }, ModelList, options),
  /** Newest first. */
  calls: (query: ModelCallsQuery = {}, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/audit/model-calls', query: { ...query } }, ModelCallList, options),
  check: (provider: string, options?: CallOptions) =>
    send(
      { method: 'POST', path: `/v1/models/${encodeURIComponent(provider)}/check`, timeout: limits.probeTime + 5_000 },
      ProviderCheck,
      options,
    ),
})
