// Journal records of changed tool definitions, and their projections.
import { ChangeID, dictionary, Digest, Grant, ServerName } from '@gatehouse/contracts'
import type { Rows, Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { suspend, Suspension } from '../grants/suspend.ts'
import type { Projection, Projections } from '../ledger/projection.ts'
import { writeGrant } from '../state/effects.ts'
import { readGrant } from '../state/unit-config.ts'

/** The first listing after an approval without evidence: the whole grant with its pins. */
const PinnedDetail = v.strictObject({ server: ServerName, grant: Grant })
/** New tools, pinned as they were first seen under the grant of this change. */
const AddedDetail = v.strictObject({ server: ServerName, changeID: ChangeID, added: dictionary(v.string(), Digest) })
/** Under `strict`, a grant is suspended because its server was replaced. */
const SuspendedDetail = v.strictObject({ server: ServerName, entryDigest: Digest, suspended: Suspension })
/** Definitions that differ from the approved ones. */
export const MovedDetail = v.strictObject({
  server: ServerName,
  /** Whether nothing needs approval. */
  settled: v.boolean(),
  /** The change that made the grant. */
  changeID: ChangeID,
  entryDigest: Digest,
  tools: dictionary(v.string(), v.strictObject({ pinned: v.nullable(Digest), seen: Digest })),
})
export type MovedDetail = v.InferOutput<typeof MovedDetail>

const DriftDetail = v.union([PinnedDetail, AddedDetail, SuspendedDetail, MovedDetail])

interface Place {
  readonly agentGroupID: string
  readonly server: string
}

export const readMoved = async (rows: Rows, { agentGroupID, server }: Place): Promise<MovedDetail | undefined> => {
  const row = await rows.get<{ record: string }>('SELECT record FROM drifts WHERE agent_group_id = ? AND server = ?', [
    agentGroupID,
    server,
  ])
  return row === undefined ? undefined : v.parse(MovedDetail, JSON.parse(row.record))
}

const addPins = async (tx: Transaction, place: Place, { changeID, added }: v.InferOutput<typeof AddedDetail>): Promise<void> => {
  const present = await readGrant(tx, place)
  if (present?.changeID !== changeID || present.state !== 'active') return
  const names = new Set([...(present.added ?? []), ...Object.keys(added).filter((tool) => !Object.hasOwn(present.pins, tool))])
  await writeGrant(tx, { ...present, pins: { ...added, ...present.pins }, added: [...names] })
}

/** A grant that was changed or revoked in the meantime is left unchanged. */
const observed: Projection = async (tx, entry) => {
  const detail = v.parse(DriftDetail, entry.detail)
  const place = { agentGroupID: entry.agentGroupID ?? '', server: detail.server }
  if ('suspended' in detail) return suspend(tx, detail.suspended)
  if ('added' in detail) return addPins(tx, place, detail)
  if ('grant' in detail) {
    const present = await readGrant(tx, detail.grant)
    const isSame = present?.changeID === detail.grant.changeID && present.state === 'active' && present.pinned === 'none'
    if (isSame)
      await writeGrant(tx, { ...present, pins: detail.grant.pins, pinned: detail.grant.pinned, entryDigest: detail.grant.entryDigest })
    return
  }
  await tx.run(
    `INSERT INTO drifts (agent_group_id, server, record) VALUES (?, ?, ?)
     ON CONFLICT (agent_group_id, server) DO UPDATE SET record = excluded.record`,
    [place.agentGroupID, place.server, JSON.stringify(detail)],
  )
}

export const driftProjections: Projections = { 'observed-drift': observed }
