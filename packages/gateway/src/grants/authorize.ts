// Authorizes each tool call from memory, never from a cache outside the gateway.
import type { AgentGroupID, LiveGrant, Pinning, Verdict } from '@gatehouse/contracts'
import type { Clock, Metrics } from '@gatehouse/kernel'
import type { CallCounts, CallRates } from '../state/call-counts.ts'
import type { Catalog } from '../state/catalog.ts'
import type { Freezes } from '../state/freezes.ts'
import type { GrantRow, Grants, GrantTable } from '../state/grants.ts'
import type { LastCalls, OpenSessions } from '../state/sessions.ts'
import type { ToolDefinitions } from '../state/tool-definitions.ts'
import { checks, isEntryReplaced, isExhausted, isExpired, findPin, seconds, type Subject } from './checks.ts'
import type { TofuPins } from './tofu.ts'

export interface GrantDeps {
  readonly boot: { readonly pinning: Pinning }
  readonly catalog: Catalog
  readonly table: GrantTable
  readonly counts: CallCounts
  readonly rates: CallRates
  readonly declared: ToolDefinitions
  readonly tofuPins: TofuPins
  readonly freezes: Pick<Freezes, 'of'>
  readonly clock: Clock
}

export interface AuthorizeDeps extends GrantDeps {
  readonly metrics: Metrics
  readonly sessions: OpenSessions
  readonly lastCalls: Pick<LastCalls, 'note'>
}

export interface ToolCall {
  readonly session: string
  readonly server: string
  readonly tool: string
}

type Refused = Extract<Verdict, { allowed: false }>

export interface Place {
  readonly agentGroupID: AgentGroupID
  readonly server: string
  readonly tool: string
}

export const buildSubject = (deps: GrantDeps, grants: Grants, { agentGroupID, server, tool }: Place): Subject => {
  const granted = grants.get(agentGroupID)?.get(server)
  const row = granted && deps.tofuPins.over(granted)
  const entryDigest = row === undefined ? undefined : deps.catalog.item(row.grant.server)?.digest
  return {
    server,
    tool,
    freeze: deps.freezes.of(agentGroupID),
    row,
    calls: row === undefined ? 0 : deps.counts.of(row.grant),
    wait: row?.callsPerMinute === undefined ? 0 : deps.rates.wait(agentGroupID, row.callsPerMinute),
    clock: deps.clock,
    pinning: deps.boot.pinning,
    entryDigest,
    declared: deps.declared.of(server, entryDigest)?.definitions,
  }
}

const refuse = (
  { metrics }: AuthorizeDeps,
  agentGroupID: AgentGroupID,
  { code, wait }: Pick<Refused, 'code'> & { wait: number },
): Refused => {
  if (code !== 'rate-limited') return { allowed: false, agentGroupID, code }
  metrics.counter('group_limit_reached_total').inc({ limit: 'callsPerMinute' })
  return { allowed: false, agentGroupID, code, retryAfter: seconds(wait) }
}

const count = ({ counts, rates }: GrantDeps, { grant, callsPerMinute }: GrantRow): void => {
  counts.add(grant)
  if (callsPerMinute !== undefined) rates.add(grant.agentGroupID)
}

const check = (deps: AuthorizeDeps, grants: Grants, place: Place): Verdict => {
  const { agentGroupID } = place
  const subject = buildSubject(deps, grants, place)
  const failed = checks.find((each) => !each.passes(subject))
  if (failed !== undefined) return refuse(deps, agentGroupID, { code: failed.code, wait: subject.wait })
  if (subject.row !== undefined) count(deps, subject.row)
  const pin = findPin(subject)
  const callsPerMinute = subject.row?.callsPerMinute
  return { allowed: true, agentGroupID, ...(pin === undefined ? {} : { pin }), ...(callsPerMinute === undefined ? {} : { callsPerMinute }) }
}

const note = ({ lastCalls }: AuthorizeDeps, session: string, verdict: Verdict): Verdict => {
  if (verdict.allowed) lastCalls.note(session)
  return verdict
}

/** Authorizes a tool call and counts it if allowed. Synchronous, except while the grant table is being rebuilt. */
export const authorize = (deps: AuthorizeDeps, { session, server, tool }: ToolCall): Verdict | Promise<Verdict> => {
  const agentGroupID = deps.sessions.find(session)?.agentGroupID
  if (agentGroupID === undefined) return { allowed: false, agentGroupID: null, code: 'not-granted' }
  const grants = deps.table.now()
  const place = { agentGroupID, server, tool }
  if (grants === undefined) return deps.table.current().then((current) => note(deps, session, check(deps, current, place)))
  return note(deps, session, check(deps, grants, place))
}

const toLiveGrant = (deps: GrantDeps, row: GrantRow): LiveGrant[] => {
  const { grant } = row
  const isSuspended = deps.boot.pinning === 'strict' && isEntryReplaced(row, deps.catalog.item(grant.server)?.digest)
  if (grant.state !== 'active' || isSuspended || isExpired(row, deps.clock)) return []
  return [
    {
      server: grant.server,
      tools: grant.tools,
      ...(grant.pinned === 'none' ? {} : { pins: Object.fromEntries(deps.tofuPins.over(row).pins) }),
      ...(isExhausted(row, deps.counts.of(grant)) ? { exhausted: true } : {}),
    },
  ]
}

/** The active grants of the session's group. */
export const listLiveGrants = async (deps: AuthorizeDeps, session: string) => {
  const { pinning } = deps.boot
  const agentGroupID = deps.sessions.find(session)?.agentGroupID
  if (agentGroupID === undefined) return { agentGroupID: null, frozen: false, pinning, grants: [] }
  const rows = (await deps.table.current()).get(agentGroupID)?.values() ?? []
  const frozen = deps.freezes.of(agentGroupID) !== undefined
  return { agentGroupID, frozen, pinning, grants: [...rows].flatMap((row) => toLiveGrant(deps, row)) }
}
