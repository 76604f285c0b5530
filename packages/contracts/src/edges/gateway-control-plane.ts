// The only door through which people decide. Who asks is the digest of the presented token, never a name.
import * as v from 'valibot'
import { AuditEntry, Change, Requester, Submission, Submitted } from '../change.ts'
import { AgentGroupID, ChangeID, Digest, ServerName } from '../ids.ts'
import { AgentGroup, CatalogEntry, Grant } from '../registry.ts'
import { call, defineEdge } from './edge.ts'

/** SHA-256 of the presented token; null when none was presented, which only an open unit accepts. */
const presented = { token: v.nullable(Digest) }
const page = { limit: v.number(), cursor: v.optional(v.string()) }

export const roles = ['auditor', 'requester', 'approver', 'admin'] as const
export const Role = v.picklist(roles)
export const Principal = v.strictObject({ name: v.string(), role: Role })
export type Principal = v.InferOutput<typeof Principal>

/** Routes that end elsewhere than at the gateway and ask it first. */
export const permitRoutes = ['chat', 'probe', 'status', 'metrics', 'sessions'] as const

const listOf = <S extends v.GenericSchema>(item: S) => v.strictObject({ items: v.array(item), nextCursor: v.optional(v.string()) })
const NamedEntry = v.strictObject({ name: ServerName, entry: CatalogEntry, digest: Digest })

export const gatewayControlPlane = defineEdge({
  server: 'gateway',
  caller: 'control-plane',
  calls: {
    permit: call(v.strictObject({ ...presented, route: v.picklist(permitRoutes), agentGroupID: v.optional(AgentGroupID) }), Principal, {
      patient: true,
    }),
    submit: call(v.strictObject({ ...presented, submission: Submission }), Submitted, { patient: true, large: true }),
    decide: call(
      v.strictObject({
        ...presented,
        id: ChangeID,
        outcome: v.picklist(['approve', 'reject']),
        decidedBy: Requester,
        reason: v.optional(v.string()),
        digest: v.optional(Digest),
      }),
      Change,
      { patient: true, large: true },
    ),
    pending: call(v.strictObject({ ...presented, ...page }), listOf(Change), { large: true, patient: true }),
    history: call(v.strictObject({ ...presented, ...page }), listOf(Change), { large: true, patient: true }),
    change: call(v.strictObject({ ...presented, id: ChangeID }), Change, { large: true, patient: true }),
    audit: call(v.strictObject({ ...presented, ...page }), listOf(AuditEntry), { large: true, patient: true }),
    groups: call(v.strictObject({ ...presented }), listOf(AgentGroup), { large: true, patient: true }),
    grants: call(v.strictObject({ ...presented }), listOf(Grant), { large: true, patient: true }),
    /** Entries leave the gateway masked. */
    servers: call(v.strictObject({ ...presented }), listOf(NamedEntry), { large: true, patient: true }),
    server: call(v.strictObject({ ...presented, name: ServerName }), NamedEntry, { large: true, patient: true }),
    putServer: call(
      v.strictObject({ ...presented, name: ServerName, entry: v.unknown() }),
      v.strictObject({ created: v.boolean(), ...NamedEntry.entries }),
      { large: true, patient: true },
    ),
    removeServer: call(v.strictObject({ ...presented, name: ServerName }), v.strictObject({}), { patient: true }),
  },
  events: {
    /** Something about this change moved. */
    change: v.strictObject({ id: ChangeID }),
  },
})
