// Effective access of an agent group, now and after a change.
import * as v from 'valibot'
import { AgentGroupID } from './ids.ts'

export const powerAreas = ['model', 'tool', 'server-tool', 'provider-tool', 'mount', 'package', 'channel', 'member', 'limit'] as const
export const PowerArea = v.picklist(powerAreas)
export type PowerArea = v.InferOutput<typeof PowerArea>

/** Marks that a reader should notice. `every`: includes tools that the server declares later. */
const powerMarks = ['destructive', 'read-only', 'writes', 'runs-programs', 'every', 'undeclared', 'server-gone', 'anybody'] as const
export const PowerMark = v.picklist(powerMarks)
export type PowerMark = v.InferOutput<typeof PowerMark>

/** One permission or limit of an agent group, identified by `area` and `name`. */
export const Power = v.strictObject({
  area: PowerArea,
  name: v.string(),
  /** Conditions and limits of the permission. */
  detail: v.optional(v.string()),
  marks: v.array(PowerMark),
})
export type Power = v.InferOutput<typeof Power>

export const Reach = v.strictObject({
  agentGroupID: AgentGroupID,
  /** Sentences on why the risk of a pending change is high. */
  why: v.array(v.string()),
  /** Whether the target or the evidence changed since the change was shown. An approval is then refused and shows the new version. */
  moved: v.boolean(),
  /** Names of the tokens that may approve the pending change. Excludes tokens of the requester's person. */
  approvers: v.optional(v.array(v.string()), []),
  /** Null if the group does not exist. */
  can: v.nullable(v.array(Power)),
  /** The access if the change were applied now; absent if it is no longer pending. Null if the group would be removed. */
  could: v.optional(v.nullable(v.array(Power))),
})
export type Reach = v.InferOutput<typeof Reach>
