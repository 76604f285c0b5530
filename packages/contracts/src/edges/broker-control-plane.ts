// Probes, states and logs of tool servers, and call records. The gateway authorizes each call in advance.
import * as v from 'valibot'
import { call, defineEdge, listOf, ofGroup, page, span } from '../edge.ts'
import { toolErrorCodes } from '../errors.ts'
import { AgentGroupID, Digest, ServerName, SessionID, Time } from '../ids.ts'
import { limits } from '../limits.ts'
import { ServerImage, ServerState, ToolDefinition } from '../registry.ts'
import { callOps, CallRecord, callStatuses, ToolCall, ToolList, ToolResult } from '../sandbox/tools.ts'

export const ProbeResult = v.strictObject({
  tools: v.array(ToolDefinition),
  server: v.strictObject({ name: v.string(), version: v.string(), protocol: v.string() }),
  elapsedMs: v.number(),
  image: v.optional(ServerImage),
})
export type ProbeResult = v.InferOutput<typeof ProbeResult>

export const ServerLogLine = v.strictObject({
  /** Consecutive number, reset when the broker restarts. */
  seq: v.number(),
  at: Time,
  text: v.string(),
  /** Set if each session has its own server. */
  session: v.optional(SessionID),
})
export type ServerLogLine = v.InferOutput<typeof ServerLogLine>

/** The stderr of a local server. */
export const ServerLogs = v.strictObject({
  items: v.array(ServerLogLine),
  /** Pass it as `after` to read later lines. */
  next: v.number(),
  /** Whether lines after `after` were already dropped. */
  missed: v.boolean(),
})
export type ServerLogs = v.InferOutput<typeof ServerLogs>

/** What a browser brings back, or whoever pretends to be one. */
const text = v.pipe(v.string(), v.maxLength(4096))

export const BegunLogin = v.strictObject({
  id: text,
  /** To be opened in a browser. */
  url: v.string(),
  expiresAt: Time,
})
export type BegunLogin = v.InferOutput<typeof BegunLogin>

export const LoginProgress = v.strictObject({ status: v.picklist(['waiting', 'done']) })
export type LoginProgress = v.InferOutput<typeof LoginProgress>

export const LogoutOutcome = v.strictObject({
  /** The authorization server says that the tokens are good for nothing any more. */
  revoked: v.boolean(),
})
export type LogoutOutcome = v.InferOutput<typeof LogoutOutcome>

const CallFilter = {
  ...ofGroup,
  ...span,
  session: v.optional(SessionID),
  server: v.optional(v.string()),
  tool: v.optional(v.string()),
  op: v.optional(v.picklist(callOps)),
  status: v.optional(v.picklist(callStatuses)),
  code: v.optional(v.picklist(toolErrorCodes)),
}

export const brokerControlPlane = defineEdge({
  server: 'broker',
  caller: 'control-plane',
  calls: {
    probe: call(v.strictObject({ name: ServerName }), ProbeResult, { deadline: limits.probeTime + 2_000, large: true, patient: true }),
    /** For external MCP clients. The gateway determines the session of the token. */
    clientList: call(v.strictObject({ token: Digest }), ToolList, { large: true, patient: true, deadline: limits.connectTime + 5_000 }),
    clientCall: call(v.strictObject({ token: Digest, call: ToolCall }), ToolResult, {
      large: true,
      patient: true,
      deadline: limits.callTime + 5_000,
    }),
    logs: call(v.strictObject({ name: ServerName, after: v.optional(v.number()), limit: v.optional(v.number()) }), ServerLogs, {
      large: true,
    }),
    /** A login of the unit at a remote tool server: its address is for the browser of whoever begins it. */
    beginLogin: call(
      v.strictObject({ name: ServerName, principal: v.string(), url: v.string(), clientMetadataUrl: v.optional(v.string()) }),
      BegunLogin,
      {
        patient: true,
        deadline: limits.probeTime,
      },
    ),
    /** What a browser came back with. Nothing is known of whoever sent it. */
    answerLogin: call(
      v.strictObject({ state: text, code: v.optional(text), error: v.optional(text), iss: v.optional(text) }),
      v.strictObject({ taken: v.boolean() }),
    ),
    /** Finishes the login once the browser has come back; the principal is the one that began it. */
    finishLogin: call(v.strictObject({ id: text, principal: v.string() }), LoginProgress, { patient: true, deadline: limits.probeTime }),
    logout: call(v.strictObject({ name: ServerName, principal: v.string() }), LogoutOutcome, { patient: true, deadline: limits.probeTime }),
    states: call(v.strictObject({}), v.record(v.string(), ServerState)),
    /** Newest first. `groups` limits the records to these groups. */
    records: call(v.strictObject({ ...page, ...CallFilter, groups: v.optional(v.array(AgentGroupID)) }), listOf(CallRecord), {
      large: true,
      patient: true,
    }),
  },
  events: {},
})
