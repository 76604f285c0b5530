// Reviews all grants of a tool server after a listing or a replaced entry: pins, suspends, and requests approval where
// definitions changed.
import type { Change, Digest, ServerName } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import { canonical, type Clock } from '@gatehouse/kernel'
import type { Asked } from '../changes/examine.ts'
import { covers, isEntryReplaced, isExpired } from '../grants/checks.ts'
import { driftOf, type Sighting } from '../grants/drift.ts'
import type { TofuPins } from '../grants/tofu.ts'
import { systemActor } from '../state/change-records.ts'
import { type GrantRow, type GrantTable, rowsOf } from '../state/grants.ts'
import type { Lock } from '../state/lock.ts'
import type { Subscribers } from '../state/subscribers.ts'
import type { Seen, ToolDefinitions } from '../state/tool-definitions.ts'
import { askAgain, type DriftChangeDeps, findOpen, openLines, updateLines, withdrawLines } from './change.ts'
import { type MovedDetail, readMoved } from './records.ts'

export interface ReviewDeps extends DriftChangeDeps {
  readonly clock: Clock
  readonly table: GrantTable
  readonly declared: ToolDefinitions
  readonly firstSight: TofuPins
  readonly pauses: Throttle
  readonly subscribers: Subscribers
  readonly lock: Lock
}

interface Look {
  readonly entryDigest: Digest
  readonly seen: Seen | undefined
}

const line = (row: GrantRow, detail: object) => ({
  stage: 'observed-drift' as const,
  ...systemActor,
  agentGroupID: row.grant.agentGroupID,
  detail: { server: row.grant.server, ...detail },
})

const pin = async (deps: ReviewDeps, row: GrantRow, { definitions, entryDigest }: Seen): Promise<void> => {
  const pins = Object.fromEntries([...definitions].filter(([tool]) => covers(row, tool)))
  const grant = { ...row.grant, pins, pinned: 'first-listing' as const, entryDigest: row.grant.entryDigest ?? entryDigest }
  await deps.ledger.commit([line(row, { grant })])
}

const suspend = async (deps: ReviewDeps, row: GrantRow, entryDigest: Digest): Promise<void> => {
  const { agentGroupID, server, changeID } = row.grant
  await deps.ledger.commit([line(row, { entryDigest, suspended: { agentGroupID, server, changeID } })])
  deps.subscribers.broker('grant-changed', { agentGroupID, server })
}

/** Of a grant that is over there is nothing to approve. */
const judge = (deps: ReviewDeps, row: GrantRow, sighting: Sighting): MovedDetail => {
  const { server, changeID, state } = row.grant
  const isOver = state === 'revoked' || isExpired(row, deps.clock)
  const tools = isOver ? {} : driftOf(row, sighting)
  return {
    server,
    settled: isOver || (state === 'active' && Object.keys(tools).length === 0),
    changeID,
    entryDigest: sighting.entryDigest,
    tools,
  }
}

const isKnown = (now: MovedDetail, then: MovedDetail | undefined): boolean =>
  now.settled ? then === undefined || then.settled : then !== undefined && canonical(then) === canonical(now)

/** The change first: where the second line is lost, the next look finds the first. */
const reconcile = async (deps: ReviewDeps, row: GrantRow, now: MovedDetail): Promise<void> => {
  const asks = deps.boot.pinning !== 'warn' && !now.settled
  // Outside of the lock, since it may wait for the broker.
  const asked = asks && (await findOpen(deps, row)) === undefined ? await askAgain(deps, row) : undefined
  await deps.lock(row.grant.agentGroupID, async () => {
    const present = await presentRow(deps, row)
    if (present?.grant.changeID !== row.grant.changeID || present.grant.state !== row.grant.state) return
    const open = await findOpen(deps, row)
    await deps.ledger.commit([...(await changeLines(deps, { open, asked, asks })), line(row, now)])
  })
}

interface Standing {
  readonly open: Change | undefined
  readonly asked: Asked | undefined
  readonly asks: boolean
}

const changeLines = async (deps: ReviewDeps, { open, asked, asks }: Standing): Promise<JournalInput[]> => {
  if (open === undefined) return asked === undefined ? [] : openLines(deps, asked)
  return asks ? updateLines(deps, open) : withdrawLines(deps, open)
}

const presentRow = async (deps: ReviewDeps, { grant }: GrantRow): Promise<GrantRow | undefined> =>
  (await deps.table.current()).get(grant.agentGroupID)?.get(grant.server)

/** A listing from before the approval pins nothing. */
const pinFirst = async (deps: ReviewDeps, row: GrantRow, seen: Seen | undefined): Promise<number> => {
  if (seen !== undefined && seen.at >= row.grant.grantedAt) await pin(deps, row, seen)
  return 0
}

const earliest = (times: readonly number[]): number => {
  const waiting = times.filter((time) => time > 0)
  return waiting.length === 0 ? 0 : Math.min(...waiting)
}

/** A matter of this grant as one change made it: what a person decides begins anew. */
const matter = (what: string, { grant: { agentGroupID, server, changeID } }: GrantRow): string =>
  `${what} ${agentGroupID} ${server} ${changeID}`

/** Tools that are seen for the first time. */
const pinAdded = async (deps: ReviewDeps, row: GrantRow, { definitions }: Seen): Promise<number> => {
  deps.firstSight.note(row, definitions)
  const added = Object.fromEntries(deps.firstSight.of(row))
  if (Object.keys(added).length === 0) return 0
  return deps.pauses.pace(matter('added', row), async () => {
    await deps.ledger.commit([line(row, { changeID: row.grant.changeID, added })])
  })
}

/** What is settled again is said at once: it follows what was not, and that is paced. */
const weigh = async (deps: ReviewDeps, row: GrantRow, sighting: Sighting): Promise<number> => {
  const now = judge(deps, deps.firstSight.over(row), sighting)
  if (isKnown(now, await readMoved(deps.store.read, row.grant))) return 0
  if (!now.settled) return deps.pauses.pace(matter('moved', row), () => reconcile(deps, row, now))
  await reconcile(deps, row, now)
  return 0
}

/** Resolves with the milliseconds after which there is more to write; 0 for nothing. */
const reviewGrant = async (deps: ReviewDeps, given: GrantRow, { seen, entryDigest }: Look): Promise<number> => {
  const { pinning } = deps.boot
  if (pinning === 'strict' && given.grant.state === 'active' && isEntryReplaced(given, entryDigest)) await suspend(deps, given, entryDigest)
  const row = (await presentRow(deps, given)) ?? given
  if (row.grant.state === 'active' && row.grant.pinned === 'none') return pinFirst(deps, row, seen)
  // What was not listed yet has not returned to what it was.
  if (row.grant.state === 'active' && seen === undefined) return 0
  const added = seen === undefined ? 0 : await pinAdded(deps, row, seen)
  const moved = await weigh(deps, row, { pinning, entryDigest, definitions: seen?.definitions })
  return earliest([added, moved])
}

/** A server that is not in the catalog leaves its grants as they are. Resolves with when to look again, in milliseconds; 0 for no need. */
export const review = async (deps: ReviewDeps, server: ServerName): Promise<number> => {
  const entryDigest = deps.catalog.item(server)?.digest
  if (entryDigest === undefined) return 0
  await deps.ledger.settle()
  const look: Look = { entryDigest, seen: deps.declared.of(server, entryDigest) }
  const rows = rowsOf(await deps.table.current(), server)
  return earliest(await Promise.all(rows.map((row) => reviewGrant(deps, row, look))))
}

/** Leaves time between two lines on one matter, so that a server that never rests does not fill the journal. */
export interface Throttle {
  /** Acts, unless the last act in this matter was a moment ago. Resolves with the milliseconds that are left to wait. */
  pace(matter: string, act: () => Promise<void>): Promise<number>
}

/** @param time milliseconds */
export const createThrottle = (time: number): Throttle => {
  const over = new Map<string, number>()
  /** Whatever becomes of the clock. */
  const now = (): number => performance.now()
  const begin = (matter: string): void => {
    for (const [other, end] of over) if (end <= now()) over.delete(other)
    over.set(matter, now() + time)
  }
  return {
    pace: async (matter, act) => {
      const left = (over.get(matter) ?? 0) - now()
      if (left > 0) return left
      await act()
      begin(matter)
      return 0
    },
  }
}
