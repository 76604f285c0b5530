// What keeps agents from flooding people with requests. People are not bound by it.
import { type Change, type Failure, limits, ServiceError } from '@gatehouse/contracts'
import { canonical } from '@gatehouse/kernel'
import { rebind } from '../kinds/index.ts'
import type { Bound } from '../kinds/kind.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { isOver } from './expire.ts'
import { firstIdAt } from './id.ts'
import { type ChangeRow, type ReadDeps, toChange } from './read.ts'

export interface CapsDeps extends ReadDeps {
  readonly secrets: Secrets
  readonly clock: () => number
}

export interface Wish {
  readonly bound: Bound
  readonly agentGroupID: string
  readonly failure: Failure | undefined
}

/** Of this group, by its agents: no other principal has a colon in its name. */
const ofAgents = `SELECT record FROM changes WHERE agent_group_id = ? AND principal >= 'session:' AND principal < 'session;'`

const find = async ({ store, overlay }: CapsDeps, sql: string, params: readonly (string | number)[]): Promise<Change[]> =>
  (await store.read.all<ChangeRow>(`${ofAgents} ${sql}`, params)).map((row) => overlay.over(toChange(row)))

const isSame = ({ secrets }: CapsDeps, change: Change, bound: Bound): boolean =>
  change.kind === bound.kind && canonical(rebind(change, secrets).approvable) === canonical(bound.approvable)

const assertNotRejected = async (deps: CapsDeps, { bound, agentGroupID }: Wish): Promise<void> => {
  const since = deps.clock() - limits.agentRejectedPause
  const rejected = await find(
    deps,
    `AND state = 'rejected' AND kind = ? AND json_extract(record, '$.decisions[#-1].at') > ? ORDER BY id DESC`,
    [agentGroupID, bound.kind, new Date(since).toISOString()],
  )
  const same = rejected.find((change) => isSame(deps, change, bound))
  const at = same?.decisions.at(-1)?.at
  if (same === undefined || at === undefined) return
  const left = Math.max(1, Math.ceil((Date.parse(at) - since) / 1000))
  throw new ServiceError('rate-limited', {
    detail: `${same.id}, the same request, was rejected at ${at}: it may be made again in ${left} seconds`,
    hint: 'work without it, or ask a person',
    extra: { retryAfter: String(left), changeID: same.id },
  })
}

const assertRoom = (held: readonly Change[], { bound, agentGroupID }: Wish, secrets: Secrets): void => {
  const other = held.find((change) => change.kind === bound.kind && rebind(change, secrets).subject === bound.subject)
  if (other !== undefined) {
    throw new ServiceError('conflict', {
      detail: `${other.id} of the same kind and target waits for a decision`,
      hint: 'wait until it is decided',
      extra: { changeID: other.id },
    })
  }
  if (held.length < limits.agentHeldChanges) return
  throw new ServiceError('queue-full', {
    detail: `expected at most ${limits.agentHeldChanges} requests of the agents of ${agentGroupID} that wait, and so many wait`,
    hint: 'wait until some of them are decided',
  })
}

/** The same request that waits already, or was refused a moment ago by the same rule. Throws where another may not be made. */
export const findStanding = async (deps: CapsDeps, wish: Wish): Promise<Change | undefined> => {
  const { bound, agentGroupID, failure } = wish
  const now = deps.clock()
  if (failure !== undefined) {
    const since = firstIdAt(now - limits.agentRejectedPause)
    const refused = await find(deps, `AND state = 'refused' AND kind = ? AND id >= ? ORDER BY id DESC`, [agentGroupID, bound.kind, since])
    return refused.find((change) => change.failure?.rule === failure.rule && isSame(deps, change, bound))
  }
  const found = await find(deps, `AND state = 'held' ORDER BY id`, [agentGroupID])
  const held = found.filter((change) => change.state === 'held' && !isOver(change, now))
  const same = held.find((change) => isSame(deps, change, bound))
  if (same !== undefined) return same
  await assertNotRejected(deps, wish)
  assertRoom(held, wish, deps.secrets)
  return undefined
}
