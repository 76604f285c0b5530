// Sees the world as it is now: what a change would write over, and what its evidence is.
import type { AgentGroupID, Change } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import type { Catalog } from '../catalog/file.ts'
import { digestOfEntry } from '../catalog/identity.ts'
import { attach, evidenceMoved } from '../evidence/attach.ts'
import { Evidence } from '../evidence/evidence.ts'
import { bind } from '../kinds/index.ts'
import type { Bound } from '../kinds/kind.ts'
import { readWorld, type World } from '../registry/world.ts'
import { canonical } from './digest.ts'
import { type Draft, draft } from './draft.ts'

export interface JudgeDeps {
  readonly store: Store
  readonly catalog: Catalog
  readonly clock: () => number
}

export interface Judged {
  readonly bound: Bound
  readonly world: World
  /** Undefined where the group that the change needs is gone. */
  readonly draft: Draft | undefined
}

export const look = (deps: JudgeDeps, agentGroupID: AgentGroupID): Promise<World> =>
  readWorld(deps.store.read, agentGroupID, deps.catalog.enabled ? new Set(deps.catalog.names()) : null)

const gatherEvidence = (deps: JudgeDeps, bound: Bound): Promise<Evidence | null> => {
  const entry = bound.wants === undefined ? undefined : deps.catalog.get(bound.wants.server)
  return attach(bound.wants, {
    rows: deps.store.read,
    entryDigest: entry === undefined ? undefined : digestOfEntry(entry),
    now: deps.clock(),
  })
}

export const judge = async (deps: JudgeDeps, bound: Bound, world: World): Promise<Judged> => {
  const gone = bound.target === 'existing' && world.group === undefined
  return { bound, world, draft: gone ? undefined : draft(bound, world, await gatherEvidence(deps, bound)) }
}

export const judgeAgain = async (deps: JudgeDeps, change: Change): Promise<Judged> =>
  judge(deps, bind(change.kind, change.after), await look(deps, change.agentGroupID))

const storedEvidence = (change: Change): Evidence | null => v.parse(v.nullable(Evidence), change.evidence)

/** Whether what the approver was shown is no longer what is there. */
export const hasMoved = (change: Change, now: Draft): boolean =>
  canonical(change.before) !== canonical(now.before) || evidenceMoved(storedEvidence(change), now.evidence)
