// Looks at all grants of one tool server after it was listed or exchanged: pins, suspends, and asks a person where definitions moved.
import type { Change, Digest, ServerName } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import { canonical } from '@gatehouse/kernel'
import type { Asked } from '../changes/examine.ts'
import { itself } from '../changes/lines.ts'
import type { Lock } from '../changes/lock.ts'
import type { Audience } from '../events/audience.ts'
import { covers, isExchanged, isExpired } from './checks.ts'
import type { Declared, Seen } from './declared.ts'
import { driftOf, type Sighting } from './drift.ts'
import { askAgain, type DriftChangeDeps, findOpen, openLines, updateLines, withdrawLines } from './drift-change.ts'
import { type MovedDetail, readMoved } from './drift-lines.ts'
import type { GrantRow, GrantTable } from './table.ts'

export interface ReviewDeps extends DriftChangeDeps {
  readonly table: GrantTable
  readonly declared: Declared
  readonly audience: Audience
  readonly lock: Lock
}

interface Look {
  readonly entryDigest: Digest
  readonly seen: Seen | undefined
}

const line = (row: GrantRow, detail: object) => ({
  stage: 'observed-drift' as const,
  ...itself,
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
  deps.audience.broker('grant-changed', { agentGroupID, server })
}

/** Of a grant that is over there is nothing to approve. */
const judge = (deps: ReviewDeps, row: GrantRow, sighting: Sighting): MovedDetail => {
  const { server, changeID, state } = row.grant
  const isOver = state === 'revoked' || isExpired(row, deps.clock())
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
const pinFirst = async (deps: ReviewDeps, row: GrantRow, seen: Seen | undefined): Promise<void> => {
  if (seen !== undefined && seen.at >= row.grant.grantedAt) await pin(deps, row, seen)
}

const reviewGrant = async (deps: ReviewDeps, given: GrantRow, { seen, entryDigest }: Look): Promise<void> => {
  const { pinning } = deps.boot
  if (pinning === 'strict' && given.grant.state === 'active' && isExchanged(given, entryDigest)) await suspend(deps, given, entryDigest)
  const row = (await presentRow(deps, given)) ?? given
  if (row.grant.state === 'active' && row.grant.pinned === 'none') return pinFirst(deps, row, seen)
  // What was not listed yet has not returned to what it was.
  if (row.grant.state === 'active' && seen === undefined) return
  const now = judge(deps, row, { pinning, entryDigest, definitions: seen?.definitions })
  if (!isKnown(now, await readMoved(deps.store.read, row.grant))) await reconcile(deps, row, now)
}

/** A server that is not in the catalog leaves its grants as they are. */
export const review = async (deps: ReviewDeps, server: ServerName): Promise<void> => {
  const entryDigest = deps.catalog.item(server)?.digest
  if (entryDigest === undefined) return
  await deps.ledger.settle()
  const look: Look = { entryDigest, seen: deps.declared.of(server, entryDigest) }
  const rows = [...(await deps.table.current()).values()].flatMap((servers) => servers.get(server) ?? [])
  await Promise.all(rows.map((row) => reviewGrant(deps, row, look)))
}
