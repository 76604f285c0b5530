// Limits on the changes that agents request, and detection of duplicate requests. People are not limited.
import { type Change, type Failure, limits, ServiceError } from '@gatehouse/contracts'
import { canonical, digestOf } from '@gatehouse/kernel'
import { rebind } from '../kinds/index.ts'
import type { Bound } from '../kinds/kind.ts'
import type { Secrets } from '../secrets.ts'
import { firstIdAt, timeOfId } from '../state/change-ids.ts'
import type { Wish } from '../state/change-records.ts'
import { readChange, type ReadDeps } from '../state/changes.ts'

export interface CapsDeps extends ReadDeps {
  readonly secrets: Secrets
  readonly clock: () => number
}

export interface Request {
  readonly bound: Bound
  readonly agentGroupID: string
  readonly failure: Failure | undefined
}

export const requestKeyOf = ({ kind, subject, requestKey }: Bound): Wish => ({ subject, digest: digestOf({ kind, wish: requestKey }) })

interface Row {
  readonly id: string
  readonly kind: string
  readonly subject: string
  readonly wish: string
  readonly rule: string | null
  readonly decided_at: string | null
}

/** Of this group, by its agents: only they have a wish. */
const find = ({ store }: CapsDeps, sql: string, params: readonly (string | number)[]): Promise<Row[]> =>
  store.read.all<Row>(
    `SELECT id, kind, subject, wish, rule, decided_at FROM changes WHERE wish <> '' AND agent_group_id = ? AND ${sql}`,
    params,
  )

/** Whole seconds until what happened at `time` counts no more. */
const secondsLeft = (time: number, since: number): number => Math.max(1, Math.ceil((time - since) / 1000))

/** Also where it was asked for in another order or under other terms. */
const assertNotRejected = async (deps: CapsDeps, { bound, agentGroupID }: Request): Promise<void> => {
  const since = deps.clock() - limits.agentRejectedPause
  const sql = `state = 'rejected' AND wish = ? AND decided_at > ? ORDER BY id DESC LIMIT 1`
  const [same] = await find(deps, sql, [agentGroupID, requestKeyOf(bound).digest, new Date(since).toISOString()])
  if (same === undefined || same.decided_at === null) return
  const left = secondsLeft(Date.parse(same.decided_at), since)
  throw new ServiceError('rate-limited', {
    detail: `${same.id}, the same request, was rejected at ${same.decided_at}: it may be made again in ${left} seconds`,
    hint: 'work without it, or ask a person',
    extra: { retryAfter: String(left), changeID: same.id },
  })
}

const assertRoom = (held: readonly Row[], { bound, agentGroupID }: Request): void => {
  const other = held.find(({ kind, subject }) => kind === bound.kind && subject === bound.subject)
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

/** The same that was refused by the same rule a moment ago. Throws where too many were refused. */
const findRefused = async (deps: CapsDeps, { bound, agentGroupID }: Request, { rule }: Failure): Promise<Change | undefined> => {
  const most = limits.agentRefusedChanges
  const since = deps.clock() - limits.agentRefusedWindow
  const refused = await find(deps, `state = 'refused' AND id >= ? ORDER BY id DESC LIMIT ${most}`, [agentGroupID, firstIdAt(since)])
  const { digest } = requestKeyOf(bound)
  const same = refused.find((row) => row.wish === digest && row.rule === rule)
  if (same !== undefined) return readChange(deps, same.id)
  const oldest = refused[most - 1]
  if (oldest === undefined) return undefined
  const left = secondsLeft(timeOfId(oldest.id), since)
  throw new ServiceError('rate-limited', {
    detail: `${most} requests of the agents of ${agentGroupID} were refused lately, and this one would be too: ask again in ${left} seconds`,
    hint: 'ask for what can be granted, or ask a person',
    extra: { retryAfter: String(left) },
  })
}

/** One that is asked for as it is asked for now. */
const findHeld = async (deps: CapsDeps, { bound }: Request, held: readonly Row[]): Promise<Change | undefined> => {
  const { digest } = requestKeyOf(bound)
  const alike = held.find(({ wish }) => wish === digest)
  if (alike === undefined) return undefined
  const change = await readChange(deps, alike.id)
  const isSame = canonical(rebind(change, deps.secrets).approvable) === canonical(bound.approvable)
  return change.state === 'held' && isSame ? change : undefined
}

/** The same request that waits already, or was refused a moment ago by the same rule. Throws where another may not be made. */
export const findDuplicate = async (deps: CapsDeps, request: Request): Promise<Change | undefined> => {
  const { agentGroupID, failure } = request
  if (failure !== undefined) return findRefused(deps, request, failure)
  const sql = `state = 'held' AND (expires_at IS NULL OR expires_at > ?) ORDER BY id`
  const found = await find(deps, sql, [agentGroupID, new Date(deps.clock()).toISOString()])
  const held = found.filter(({ id }) => !deps.overlay.has(id))
  const same = await findHeld(deps, request, held)
  if (same !== undefined) return same
  await assertNotRejected(deps, request)
  assertRoom(held, request)
  return undefined
}
