// The blast radius of a change: what its agent can do as the registry stands, and what it could do if the change were applied now.
import type { Change, Reach } from '@gatehouse/contracts'
import { hasMoved, judgeAgain, type JudgeDeps, look } from '../changes/judge.ts'
import { readObservation } from '../evidence/observation.ts'
import type { GrantDeps } from '../grants/authorize.ts'
import { isExchanged, isExhausted, isExpired } from '../grants/checks.ts'
import { toRow } from '../grants/table.ts'
import type { World } from '../registry/world.ts'
import { shareAfter } from './after.ts'
import { powersOf, type Standing } from './powers.ts'

type ReachDeps = JudgeDeps & GrantDeps

const standingIn = (deps: ReachDeps, world: World): Standing => ({
  holds: (grant) => {
    const row = toRow(grant)
    const isSuspended = world.config.pinning === 'strict' && isExchanged(row, world.servers?.get(grant.server))
    return grant.state === 'active' && !isSuspended && !isExpired(row, deps.clock) && !isExhausted(row, deps.counts.of(grant))
  },
  offerOf: async (server) => {
    const digest = world.servers?.get(server)
    const seen = digest === undefined ? undefined : await readObservation(deps.store.read, server, digest)
    return { configured: digest !== undefined, tools: seen?.tools }
  },
})

/** Nothing is written. What the change would do is judged on the evidence that it shows. */
export const reachOf = async (deps: ReachDeps, change: Change): Promise<Reach> => {
  const { agentGroupID } = change
  if (change.state !== 'held') {
    const world = await look(deps, agentGroupID, change.principal)
    return { agentGroupID, why: [], moved: false, can: await powersOf(world, standingIn(deps, world)) }
  }
  const { bound, world, shown, draft } = await judgeAgain(deps, change)
  const standing = standingIn(deps, world)
  const can = await powersOf(world, standing)
  if (draft === undefined) return { agentGroupID, why: [], moved: true, can }
  const effect = bound.apply(shown, { changeID: change.id, at: new Date(world.now).toISOString() })
  return {
    agentGroupID,
    why: bound.why(shown),
    moved: hasMoved(change, draft),
    can,
    could: await powersOf(shareAfter(world, effect), standing),
  }
}
