// Sees the world as it is now: what a change would write over, and what its evidence is.
import type { AgentGroupID, Change, Digest, GatewayBoot } from '@gatehouse/contracts'
import { canonical } from '@gatehouse/kernel'
import type { Catalog } from '../catalog/catalog.ts'
import { attach } from '../evidence/attach.ts'
import { evidenceMoved } from '../evidence/moved.ts'
import { withSightings } from '../evidence/sightings.ts'
import { summon, type SummonDeps } from '../evidence/summon.ts'
import { evidenceOf, keepWhole } from '../evidence/whole.ts'
import { rebind } from '../kinds/index.ts'
import type { Bound, Sight } from '../kinds/kind.ts'
import { grantedServers, type GrantTable } from '../grants/table.ts'
import type { ReadShare } from '../registry/shares.ts'
import { readMountsElsewhere, type World } from '../registry/world.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { type Draft, draft } from './draft.ts'

export interface JudgeDeps extends SummonDeps {
  readonly catalog: Catalog
  readonly clock: () => number
  readonly boot: Pick<GatewayBoot, 'mountAllow' | 'pinning' | 'models'>
  /** Where the unit keeps what is its own, as given and without links. */
  readonly ownPaths: readonly string[]
  readonly secrets: Secrets
  readonly table: GrantTable
  readonly shareOf: ReadShare
}

export interface Judged {
  readonly bound: Bound
  readonly world: World
  /** What a verifier judges: the world, and the evidence as it is known now. */
  readonly sight: Sight
  /** Undefined where the group that the change needs is gone. */
  readonly draft: Draft | undefined
}

export interface JudgedAgain extends Judged {
  /** What is applied: the world as it is, and the evidence that was shown with the digest. */
  readonly shown: Sight
}

interface Asked {
  readonly agentGroupID: AgentGroupID
  /** Whoever asks for the change. */
  readonly principal: string
}

const serversOf = ({ catalog }: JudgeDeps): ReadonlyMap<string, Digest> | null =>
  catalog.enabled ? new Map(catalog.items().map(({ name, digest }) => [name, digest])) : null

const see = async (deps: JudgeDeps, { agentGroupID, principal }: Asked): Promise<World> => {
  const [share, grants] = await Promise.all([deps.shareOf(agentGroupID), deps.table.current()])
  const now = deps.clock()
  const { mountAllow, pinning, models } = deps.boot
  const config = { mountAllow, pinning, models, ownPaths: deps.ownPaths }
  return { agentGroupID, asker: principal, servers: serversOf(deps), granted: grantedServers(grants, now), now, config, ...share }
}

/** @param principal who asks for the change */
export const look = (deps: JudgeDeps, agentGroupID: AgentGroupID, principal: string): Promise<World> =>
  see(deps, { agentGroupID, principal })

const withMounts = async ({ store }: JudgeDeps, { kind }: Bound, world: World): Promise<World> => {
  if (kind !== 'mounts') return world
  return { ...world, elsewhere: await withSightings(store.read, await readMountsElsewhere(store.read, world.agentGroupID)) }
}

const judgeIn = async (deps: JudgeDeps, bound: Bound, seen: { world: World; fresh: boolean }): Promise<Judged> => {
  const { fresh } = seen
  const world = await withMounts(deps, bound, seen.world)
  if (bound.target === 'existing' && world.group === undefined) {
    return { bound, world, sight: { world, evidence: null }, draft: undefined }
  }
  const { evidence, whole } = await attach(bound.wants(world), { rows: deps.store.read, world, fresh })
  if (whole !== undefined) await keepWhole(deps.store, whole)
  const sight = { world, evidence }
  return { bound, world, sight, draft: draft(bound, sight) }
}

/** What is refused whatever a witness says. */
const isRefusedBlind = (bound: Bound, world: World): boolean =>
  (bound.target === 'new' || world.group !== undefined) && bound.verify({ world, evidence: null }) !== undefined

const withoutEvidence = (bound: Bound, world: World): Judged => {
  const sight = { world, evidence: null }
  return { bound, world, sight, draft: draft(bound, sight) }
}

/**
 * For a new change: its witness is asked to look again where what is known is old. The answer's world is that behind the wait.
 * What is refused without evidence waits for none, and is kept without any.
 */
export const judge = async (deps: JudgeDeps, bound: Bound, world: World): Promise<Judged> => {
  if (isRefusedBlind(bound, world)) return withoutEvidence(bound, world)
  const waited = (bound.target === 'new' || world.group !== undefined) && (await summon(deps, bound.wants(world), world))
  const present = waited ? await look(deps, world.agentGroupID, world.asker) : world
  return isRefusedBlind(bound, present) ? withoutEvidence(bound, present) : judgeIn(deps, bound, { world: present, fresh: true })
}

/** For a change that was kept, on what is known now. */
export const judgeAgain = async (deps: JudgeDeps, change: Change): Promise<JudgedAgain> => {
  const { agentGroupID, principal } = change
  const bound = rebind(change, deps.secrets)
  const world = await see(deps, { agentGroupID, principal })
  const judged = await judgeIn(deps, bound, { world, fresh: false })
  return { ...judged, shown: { world: judged.world, evidence: evidenceOf(change) } }
}

/** Whether what the approver was shown is no longer what is there. */
export const hasMoved = (change: Change, now: Draft): boolean =>
  canonical(change.before) !== canonical(now.before) || evidenceMoved(evidenceOf(change), now.evidence)
