// Evidence for packages: the trees that their names resolve to, as reported by the runner.
import {
  type ChangeID,
  type Digest,
  limits,
  type PackageLock,
  type PackageName,
  Time,
  TreeSighting,
  type Evidence,
} from '@gatehouse/contracts'
import { digestOf } from '@gatehouse/kernel'
import type { Rows } from '@gatehouse/store'
import * as v from 'valibot'
import { findChange, unknownChange } from '../state/changes.ts'
import { treeArrival } from '../state/evidence-waiters.ts'
import { readGroups } from '../state/unit-config.ts'
import type { EvidenceAge, ReportMountsDeps } from './mounts.ts'
import { computeAge, parseEvidence } from './stored.ts'

const StoredTree = v.object({ at: Time, tree: TreeSighting })
type StoredTree = v.InferOutput<typeof StoredTree>

/** A key that is not a path: paths begin with a slash. */
const toSourceKey = (names: readonly PackageName[]): string => `npm ${names.join(' ')}`

/** Stores a resolved tree with the time of the gateway. */
export const reportTree = async ({ store, arrivals, clock }: ReportMountsDeps, tree: TreeSighting): Promise<void> => {
  const record = JSON.stringify({ at: new Date(clock()).toISOString(), tree })
  await store.write((tx) =>
    tx.run('INSERT INTO sightings (source, record) VALUES (?, ?) ON CONFLICT (source) DO UPDATE SET record = excluded.record', [
      toSourceKey(tree.names),
      record,
    ]),
  )
  arrivals.notify(treeArrival(tree.names))
}

export const readTree = async (rows: Rows, names: readonly PackageName[]): Promise<StoredTree | undefined> => {
  const row = await rows.get<{ record: string }>('SELECT record FROM sightings WHERE source = ?', [toSourceKey(names)])
  return row === undefined ? undefined : v.parse(StoredTree, JSON.parse(row.record))
}

export const attachTree = async (rows: Rows, names: readonly PackageName[], { now, fresh }: EvidenceAge): Promise<Evidence> => {
  const stored = await readTree(rows, names)
  if (stored === undefined || (fresh && now - Date.parse(stored.at) > limits.evidenceFresh))
    return { status: 'unavailable', names: [...names] }
  const { at, tree } = stored
  const common = { at, age: computeAge(at, now), names: [...names] }
  if ('refused' in tree) return { status: 'unresolved', ...common, refused: tree.refused }
  return { status: 'resolved', ...common, tree: digestOf(tree.lock), lock: tree.lock }
}

/** The tree as it was approved. */
export const readApprovedTree = async (
  { store }: Pick<ReportMountsDeps, 'store'>,
  changeID: ChangeID,
): Promise<{ tree: Digest; lock: PackageLock }> => {
  const change = await findChange(store.read, changeID)
  const evidence = change?.kind === 'packages' && change.state === 'applied' ? parseEvidence(change) : null
  if (evidence?.status !== 'resolved') throw unknownChange(changeID)
  return { tree: evidence.tree, lock: evidence.lock }
}

/** The trees that groups use. */
export const listUsedTrees = async ({ store }: Pick<ReportMountsDeps, 'store'>): Promise<Digest[]> => [
  ...new Set((await readGroups(store.read)).flatMap(({ packages }) => packages?.tree ?? [])),
]
