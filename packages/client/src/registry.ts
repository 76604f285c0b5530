// What is: groups, wirings, grants, sessions, the journal; and why a call is or is not allowed.
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
import type { AuditWanted, CallsWanted, ModelCallsWanted, OfGroup, Page, SessionsWanted } from './lists.ts'
import type { CallOptions, Exchange } from './request.ts'

const encode = encodeURIComponent

const sessionsOf = ({ send, sendForText }: Exchange) => ({
  list: (wanted: SessionsWanted = {}, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/sessions', query: { ...wanted } }, SessionList, options),
  /** From the answer on nothing is allowed to the session. */
  terminate: async (id: string, body: { readonly reason?: string } = {}, options?: CallOptions): Promise<void> => {
    await sendForText({ method: 'POST', path: `/v1/sessions/${encode(id)}/terminate`, body }, options)
  },
  /** Stops what the agent is at. */
  cancel: async (id: string, options?: CallOptions): Promise<void> => {
    await sendForText({ method: 'POST', path: `/v1/sessions/${encode(id)}/cancel` }, options)
  },
  /** Deletes what was said in a closed session, with its key. */
  purge: async (id: string, options?: CallOptions): Promise<void> => {
    await sendForText({ method: 'POST', path: `/v1/sessions/${encode(id)}/purge` }, options)
  },
  logs: (id: string, query: { limit?: number } = {}, options?: CallOptions) =>
    send({ method: 'GET', path: `/v1/sessions/${encode(id)}/logs`, query }, SessionLogs, options),
  /** Lets a parked session work again. */
  resume: async (id: string, options?: CallOptions): Promise<void> => {
    await sendForText({ method: 'POST', path: `/v1/sessions/${encode(id)}/resume` }, options)
  },
})

export const registryOf = (exchange: Exchange) => {
  const { send } = exchange
  return {
    audit: {
      list: (wanted: AuditWanted = {}, options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/audit', query: { ...wanted } }, AuditList, options),
      /** A page may be empty and have a cursor: so far was looked. */
      calls: (wanted: CallsWanted = {}, options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/audit/calls', query: { ...wanted } }, CallList, options),
      verify: (options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/audit/verify', timeout: limits.journalCheckTime }, AuditVerdict, options),
    },
    groups: {
      list: (page: Page = {}, options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/agent-groups', query: { ...page } }, GroupList, options),
      show: (id: string, options?: CallOptions) => send({ method: 'GET', path: `/v1/agent-groups/${encode(id)}` }, AgentGroup, options),
    },
    wirings: {
      list: (wanted: OfGroup = {}, options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/wirings', query: { ...wanted } }, WiringList, options),
    },
    grants: {
      list: (wanted: OfGroup = {}, options?: CallOptions) =>
        send({ method: 'GET', path: '/v1/grants', query: { ...wanted } }, GrantList, options),
    },
    sessions: sessionsOf(exchange),
  }
}

export const auditHead =
  ({ send }: Exchange) =>
  (options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/audit/head' }, AuditHead, options)

/** `tool` as an agent sees it: `<server>__<tool>`. */
export const explainOf =
  ({ send }: Exchange) =>
  (agentGroupID: string, tool: string, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/explain', query: { agentGroupID, tool } }, Explanation, options)

export const modelsOf = ({ send }: Exchange) => ({
  list: (options?: CallOptions) => send({ method: 'GET', path: '/v1/models' }, ModelList, options),
  /** Newest first. */
  calls: (wanted: ModelCallsWanted = {}, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/audit/model-calls', query: { ...wanted } }, ModelCallList, options),
  check: (provider: string, options?: CallOptions) =>
    send(
      { method: 'POST', path: `/v1/models/${encodeURIComponent(provider)}/check`, timeout: limits.probeTime + 5_000 },
      ProviderCheck,
      options,
    ),
})
