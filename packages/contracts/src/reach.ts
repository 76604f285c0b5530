// What an agent can do: its powers as they are, and as they would be after a change.
import * as v from 'valibot'
import { AgentGroupID } from './ids.ts'

export const powerAreas = ['model', 'tool', 'server-tool', 'provider-tool', 'mount', 'package', 'channel', 'member', 'limit'] as const
export const PowerArea = v.picklist(powerAreas)
export type PowerArea = v.InferOutput<typeof PowerArea>

/** What deserves a second look. `every`: it grows by itself with what the server declares. */
const powerMarks = ['destructive', 'read-only', 'writes', 'runs-programs', 'every', 'undeclared', 'server-gone', 'anybody'] as const
export const PowerMark = v.picklist(powerMarks)
export type PowerMark = v.InferOutput<typeof PowerMark>

/** One thing that an agent can do, or that bounds it; `area` and `name` tell one from another. */
export const Power = v.strictObject({
  area: PowerArea,
  name: v.string(),
  /** Terms that it is under. */
  detail: v.optional(v.string()),
  marks: v.array(PowerMark),
})
export type Power = v.InferOutput<typeof Power>

export const Reach = v.strictObject({
  agentGroupID: AgentGroupID,
  /** Sentences on what makes the risk of a change that waits high. */
  why: v.array(v.string()),
  /** What it would write over, or its evidence, is no longer what the change shows: an approval is refused and shows it anew. */
  moved: v.boolean(),
  /** Names of the tokens that may approve the change while it is held: not those of the person who requested it. */
  approvers: v.optional(v.array(v.string()), []),
  /** Null where there is no such group yet, or no more. */
  can: v.nullable(v.array(Power)),
  /** If the change were applied now; absent where it waits for nothing any more. Null where the group would be gone. */
  could: v.optional(v.nullable(v.array(Power))),
})
export type Reach = v.InferOutput<typeof Reach>
