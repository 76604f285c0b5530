// Limits on the changes that agents request, and detection of duplicate requests. People are not limited.
import { type Change, type Failure, limits, ServiceError } from '@gatehouse/contracts'
import { canonical, digestOf } from '@gatehouse/kernel'
import { rebind } from '../kinds/index.ts'
import type { Bound } from '../kinds/kind.ts'
import type { Secrets } from '../secrets.ts'
import { firstIdAt, parseIdTime } from '../state/change-ids.ts'
import type { RequestKey } from '../state/change-records.ts'
import { readChange, type ReadDeps } from '../state/changes.ts'

export interface QuotaDeps extends ReadDeps {
  readonly secrets: Secrets
  readonly clock: () => number
}

export interface Request {
  readonly bound: Bound
  readonly agentGroupID: string
  readonly failure: Failure | undefined
}

export const getRequestKey = ({ kind, subject, requestKey }: Bound): RequestKey => ({
  subject,
  digest: digestOf({ kind, wish: requestKey }),
})

interface Row {
  readonly id: string
  readonly kind: string
  readonly subject: string
  readonly wish: string
  readonly rule: string | null
  readonly decided_at: string | null
}

/** Changes of this group that its agents requested: only those have a request key. */
const findChanges = ({ store }: QuotaDeps, sql: string, params: readonly (string | number)[]): Promise<Row[]> =>
  store.read.all<Row>(
    `SELECT id, kind, subject, wish, rule, decided_at FROM changes WHERE wish <> '' AND agent_group_id = ? AND ${sql}`,
    params,
  )

/** Whole seconds until an event at `time` no longer counts. */
const secondsLeft = (time: number, since: number): number => Math.max(1, Math.ceil((time - since) / 1000))

/** Compares request keys, so another order or other terms do not help. */
const assertNotRejected = async (deps: QuotaDeps, { bound, agentGroupID }: Request): Promise<void> => {
  const since = deps.clock() - limits.agentRejectedPause
  const sql = `state = 'rejected' AND wish = ? AND decided_at > ? ORDER BY id DESC LIMIT 1`
  const [same] = await findChanges(deps, sql, [agentGroupID, getRequestKey(bound).digest, new Date(since).toISOString()])
  if (same === undefined || same.decided_at === null) return
  const left = secondsLeft(Date.parse(same.decided_at), since)
  throw new ServiceError('rate-limited', {
    detail: `the same request (${same.id}) was rejected at ${same.decided_at}: try again in ${left} seconds`,
    hint: 'continue without it, or ask a person',
    extra: { retryAfter: String(left), changeID: same.id },
  })
}

const assertRoom = (held: readonly Row[], { bound, agentGroupID }: Request): void => {
  const other = held.find(({ kind, subject }) => kind === bound.kind && subject === bound.subject)
  if (other !== undefined) {
    throw new ServiceError('conflict', {
      detail: `${other.id}, of the same kind and for the same target, is pending`,
      hint: 'wait until it is decided',
      extra: { changeID: other.id },
    })
  }
  if (held.length < limits.agentHeldChanges) return
  throw new ServiceError('queue-full', {
    detail: `the agents of ${agentGroupID} already have the maximum of ${limits.agentHeldChanges} pending changes`,
    hint: 'wait until some of them are decided',
  })
}

/** The same request, if the same rule refused it recently. Throws if too many requests were refused. */
const findRefused = async (deps: QuotaDeps, { bound, agentGroupID }: Request, { rule }: Failure): Promise<Change | undefined> => {
  const maximum = limits.agentRefusedChanges
  const since = deps.clock() - limits.agentRefusedWindow
  const refused = await findChanges(deps, `state = 'refused' AND id >= ? ORDER BY id DESC LIMIT ${maximum}`, [
    agentGroupID,
    firstIdAt(since),
  ])
  const { digest } = getRequestKey(bound)
  const same = refused.find((row) => row.wish === digest && row.rule === rule)
  if (same !== undefined) return readChange(deps, same.id)
  const oldest = refused[maximum - 1]
  if (oldest === undefined) return undefined
  const left = secondsLeft(parseIdTime(oldest.id), since)
  throw new ServiceError('rate-limited', {
    detail: `${maximum} requests by agents of ${agentGroupID} were refused recently, and this one would be refused too: try again in ${left} seconds`,
    hint: 'request something that can be granted, or ask a person',
    extra: { retryAfter: String(left) },
  })
}

/** A pending change with the same request and the same terms. */
const findHeld = async (deps: QuotaDeps, { bound }: Request, held: readonly Row[]): Promise<Change | undefined> => {
  const { digest } = getRequestKey(bound)
  const similar = held.find(({ wish }) => wish === digest)
  if (similar === undefined) return undefined
  const change = await readChange(deps, similar.id)
  const isSame = canonical(rebind(change, deps.secrets).approvable) === canonical(bound.approvable)
  return change.state === 'held' && isSame ? change : undefined
}

/** The same request, if it is pending or the same rule refused it recently. Throws if the agent may not submit another one. */
export const findDuplicate = async (deps: QuotaDeps, request: Request): Promise<Change | undefined> => {
  const { agentGroupID, failure } = request
  if (failure !== undefined) return findRefused(deps, request, failure)
  const sql = `state = 'held' AND (expires_at IS NULL OR expires_at > ?) ORDER BY id`
  const rows = await findChanges(deps, sql, [agentGroupID, new Date(deps.clock()).toISOString()])
  const held = rows.filter(({ id }) => !deps.overlay.has(id))
  const same = await findHeld(deps, request, held)
  if (same !== undefined) return same
  await assertNotRejected(deps, request)
  assertRoom(held, request)
  return undefined
}
