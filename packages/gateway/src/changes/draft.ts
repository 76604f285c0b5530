// What a change would do, judged on the world as it is: made at submit, and again when that world has moved.
import type { PatchOperation, Digest, Risk } from '@gatehouse/contracts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Bound, Json, Sight } from '../kinds/kind.ts'
import { diff } from './diff.ts'
import { digestOfChange } from './digest.ts'

export interface Draft {
  readonly before: Json | null
  readonly diff: PatchOperation[]
  readonly summary: string
  readonly evidence: Evidence | null
  readonly risk: Risk
  readonly digest: Digest
}

/** The group is there, or the kind makes it. */
export const draft = (bound: Bound, sight: Sight): Draft => {
  const { world, evidence } = sight
  const before = bound.slice(world)
  return {
    before,
    diff: diff(before, bound.outcome(sight)),
    summary: bound.describe(world),
    evidence,
    risk: bound.risk(sight),
    digest: digestOfChange({ kind: bound.kind, agentGroupID: world.agentGroupID, before, after: bound.approvable, evidence }),
  }
}
