// Calls to read groups, wirings and grants, and to edit the catalog.
import * as v from 'valibot'
import { CatalogEntry } from '../catalog.ts'
import { call, listOf, ofGroup, presented, reading } from '../edge.ts'
import { AgentGroupID, Digest, ServerName, Time } from '../ids.ts'
import { AgentGroup, Explanation, GrantView, ToolDefinition, Wired } from '../registry.ts'

/** `digest` identifies the server, `tag` the version of the entry including its values. */
export const NamedEntry = v.strictObject({ name: ServerName, entry: CatalogEntry, digest: Digest, tag: Digest })
export type NamedEntry = v.InferOutput<typeof NamedEntry>

/** What a server declared when its tools were last listed under its present entry. */
export const DeclaredTools = v.strictObject({
  /** Absent: they were not listed yet. */
  at: v.optional(Time),
  tools: v.array(ToolDefinition),
})
export type DeclaredTools = v.InferOutput<typeof DeclaredTools>

/** A grant that refers to an entry. */
export const GrantRef = v.strictObject({ agentGroupID: AgentGroupID, server: ServerName })
export type GrantRef = v.InferOutput<typeof GrantRef>

/** `null` requires that there is no entry. */
const ifMatch = { ifMatch: v.optional(v.nullable(Digest)) }
const named = { ...presented, name: ServerName }

const PutOutcome = v.strictObject({
  created: v.boolean(),
  ...NamedEntry.entries,
  /** Grants whose server was replaced. */
  grants: v.array(GrantRef),
})
export type PutOutcome = v.InferOutput<typeof PutOutcome>

export const ReloadOutcome = v.strictObject({
  added: v.array(ServerName),
  changed: v.array(ServerName),
  removed: v.array(ServerName),
  grants: v.array(GrantRef),
})
export type ReloadOutcome = v.InferOutput<typeof ReloadOutcome>

export const registryCalls = {
  groups: call(v.strictObject({ ...presented }), listOf(AgentGroup), reading),
  group: call(v.strictObject({ ...presented, agentGroupID: AgentGroupID }), AgentGroup, reading),
  wirings: call(v.strictObject({ ...presented, ...ofGroup }), listOf(Wired), reading),
  grants: call(v.strictObject({ ...presented, ...ofGroup }), listOf(GrantView), reading),
  /** `tool` is the name that agents see: `<server>__<tool>`. */
  explain: call(v.strictObject({ ...presented, agentGroupID: AgentGroupID, tool: v.string() }), Explanation, reading),
  /** Entries with masked values. */
  servers: call(v.strictObject({ ...presented }), listOf(NamedEntry), reading),
  server: call(v.strictObject(named), NamedEntry, reading),
  declaredTools: call(v.strictObject(named), DeclaredTools, reading),
  putServer: call(v.strictObject({ ...named, ...ifMatch, entry: v.unknown() }), PutOutcome, reading),
  removeServer: call(v.strictObject({ ...named, ...ifMatch }), v.strictObject({}), { patient: true }),
  /** Reads the catalog file again. */
  reload: call(v.strictObject({ ...presented }), ReloadOutcome, reading),
}
