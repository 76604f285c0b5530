// Reviews all grants of a tool server after a listing or a replaced entry: pins new tools, suspends grants, and requests approval
// of changed definitions.
import type { Change, Digest, ServerName } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import { canonical, type Clock } from '@gatehouse/kernel'
import type { Examined } from '../changes/examine.ts'
import { covers, isEntryReplaced, isExpired } from '../grants/checks.ts'
import { findDrift, type ObservedDefinitions } from '../grants/drift.ts'
import type { TofuPins } from '../grants/tofu.ts'
import { systemActor } from '../state/change-records.ts'
import { type GrantRow, type GrantTable, rowsOf } from '../state/grants.ts'
import type { Lock } from '../state/lock.ts'
import type { Subscribers } from '../state/subscribers.ts'
import type { ListedTools, ToolDefinitions } from '../state/tool-definitions.ts'
import { examineDrift, type DriftChangeDeps, findOpen, openRecords, updateRecords, withdrawRecords } from './change.ts'
import { type MovedDetail, readMoved } from './records.ts'

export interface ReviewDeps extends DriftChangeDeps {
  readonly clock: Clock
  readonly table: GrantTable
  readonly declared: ToolDefinitions
  readonly tofuPins: TofuPins
  readonly throttle: Throttle
  readonly subscribers: Subscribers
  readonly lock: Lock
}

interface ServerDefinitions {
  readonly entryDigest: Digest
  readonly seen: ListedTools | undefined
}

const driftRecord = (row: GrantRow, detail: object) => ({
  stage: 'observed-drift' as const,
  ...systemActor,
  agentGroupID: row.grant.agentGroupID,
  detail: { server: row.grant.server, ...detail },
})

const pin = async (deps: ReviewDeps, row: GrantRow, { definitions, entryDigest }: ListedTools): Promise<void> => {
  const pins = Object.fromEntries([...definitions].filter(([tool]) => covers(row, tool)))
  const grant = { ...row.grant, pins, pinned: 'first-listing' as const, entryDigest: row.grant.entryDigest ?? entryDigest }
  await deps.ledger.commit([driftRecord(row, { grant })])
}

const suspend = async (deps: ReviewDeps, row: GrantRow, entryDigest: Digest): Promise<void> => {
  const { agentGroupID, server, changeID } = row.grant
  await deps.ledger.commit([driftRecord(row, { entryDigest, suspended: { agentGroupID, server, changeID } })])
  deps.subscribers.broker('grant-changed', { agentGroupID, server })
}

/** Compares a grant with the current definitions. A grant that has ended needs no approval. */
const compareGrant = (deps: ReviewDeps, row: GrantRow, observed: ObservedDefinitions): MovedDetail => {
  const { server, changeID, state } = row.grant
  const isOver = state === 'revoked' || isExpired(row, deps.clock)
  const tools = isOver ? {} : findDrift(row, observed)
  return {
    server,
    settled: isOver || (state === 'active' && Object.keys(tools).length === 0),
    changeID,
    entryDigest: observed.entryDigest,
    tools,
  }
}

const isKnown = (now: MovedDetail, then: MovedDetail | undefined): boolean =>
  now.settled ? then === undefined || then.settled : then !== undefined && canonical(then) === canonical(now)

/** Writes the change before the drift record: if the second write is lost, the next review finds the change. */
const reconcile = async (deps: ReviewDeps, row: GrantRow, now: MovedDetail): Promise<void> => {
  const needsApproval = deps.boot.pinning !== 'warn' && !now.settled
  // Outside the lock, because it may wait for the broker.
  const examined = needsApproval && (await findOpen(deps, row)) === undefined ? await examineDrift(deps, row) : undefined
  await deps.lock(row.grant.agentGroupID, async () => {
    const present = await presentRow(deps, row)
    if (present?.grant.changeID !== row.grant.changeID || present.grant.state !== row.grant.state) return
    const open = await findOpen(deps, row)
    await deps.ledger.commit([...(await changeLines(deps, { open, examined, needsApproval })), driftRecord(row, now)])
  })
}

interface DriftState {
  readonly open: Change | undefined
  readonly examined: Examined | undefined
  readonly needsApproval: boolean
}

const changeLines = async (deps: ReviewDeps, { open, examined, needsApproval }: DriftState): Promise<JournalInput[]> => {
  if (open === undefined) return examined === undefined ? [] : openRecords(deps, examined)
  return needsApproval ? updateRecords(deps, open) : withdrawRecords(deps, open)
}

const presentRow = async (deps: ReviewDeps, { grant }: GrantRow): Promise<GrantRow | undefined> =>
  (await deps.table.current()).get(grant.agentGroupID)?.get(grant.server)

/** Pins the definitions of the first listing after the approval. */
const pinFirst = async (deps: ReviewDeps, row: GrantRow, seen: ListedTools | undefined): Promise<number> => {
  if (seen !== undefined && seen.at >= row.grant.grantedAt) await pin(deps, row, seen)
  return 0
}

const earliest = (times: readonly number[]): number => {
  const positive = times.filter((time) => time > 0)
  return positive.length === 0 ? 0 : Math.min(...positive)
}

/** The throttle key of a grant. It includes the change, so a new decision is not throttled. */
const throttleKey = (what: string, { grant: { agentGroupID, server, changeID } }: GrantRow): string =>
  `${what} ${agentGroupID} ${server} ${changeID}`

/** Pins tools that are seen for the first time. */
const pinAdded = async (deps: ReviewDeps, row: GrantRow, { definitions }: ListedTools): Promise<number> => {
  deps.tofuPins.note(row, definitions)
  const added = Object.fromEntries(deps.tofuPins.of(row))
  if (Object.keys(added).length === 0) return 0
  return deps.throttle.run(throttleKey('added', row), async () => {
    await deps.ledger.commit([driftRecord(row, { changeID: row.grant.changeID, added })])
  })
}

/** Records drift. The end of drift is recorded at once; new drift is throttled. */
const recordDrift = async (deps: ReviewDeps, row: GrantRow, observed: ObservedDefinitions): Promise<number> => {
  const now = compareGrant(deps, deps.tofuPins.over(row), observed)
  if (isKnown(now, await readMoved(deps.store.read, row.grant))) return 0
  if (!now.settled) return deps.throttle.run(throttleKey('moved', row), () => reconcile(deps, row, now))
  await reconcile(deps, row, now)
  return 0
}

/** Resolves with the milliseconds until the next review; 0 if none is needed. */
const reviewGrant = async (deps: ReviewDeps, initial: GrantRow, { seen, entryDigest }: ServerDefinitions): Promise<number> => {
  const { pinning } = deps.boot
  if (pinning === 'strict' && initial.grant.state === 'active' && isEntryReplaced(initial, entryDigest))
    await suspend(deps, initial, entryDigest)
  const row = (await presentRow(deps, initial)) ?? initial
  if (row.grant.state === 'active' && row.grant.pinned === 'none') return pinFirst(deps, row, seen)
  // Without a listing, the drift is still unknown.
  if (row.grant.state === 'active' && seen === undefined) return 0
  const added = seen === undefined ? 0 : await pinAdded(deps, row, seen)
  const moved = await recordDrift(deps, row, { pinning, entryDigest, definitions: seen?.definitions })
  return earliest([added, moved])
}

/** Reviews a server. Grants of a server that is not in the catalog are left unchanged. Resolves with the milliseconds until the
 * next review; 0 if none is needed. */
export const review = async (deps: ReviewDeps, server: ServerName): Promise<number> => {
  const entryDigest = deps.catalog.item(server)?.digest
  if (entryDigest === undefined) return 0
  await deps.ledger.settle()
  const current: ServerDefinitions = { entryDigest, seen: deps.declared.of(server, entryDigest) }
  const rows = rowsOf(await deps.table.current(), server)
  return earliest(await Promise.all(rows.map((row) => reviewGrant(deps, row, current))))
}

/** Limits the rate of records for each key, so a server that changes constantly does not fill the journal. */
export interface Throttle {
  /** Runs the act unless one ran recently for the same key. Resolves with the milliseconds left to wait. */
  run(key: string, act: () => Promise<void>): Promise<number>
}

/** @param time minimum milliseconds between two acts with the same key */
export const createThrottle = (time: number): Throttle => {
  const ends = new Map<string, number>()
  /** Monotonic milliseconds. */
  const now = (): number => performance.now()
  const begin = (key: string): void => {
    for (const [other, end] of ends) if (end <= now()) ends.delete(other)
    ends.set(key, now() + time)
  }
  return {
    run: async (key, act) => {
      const left = (ends.get(key) ?? 0) - now()
      if (left > 0) return left
      await act()
      begin(key)
      return 0
    },
  }
}
