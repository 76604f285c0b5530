// Evidence for packages: what their names resolve to, as the registry told the runner.
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
import type { Look, ReportMountsDeps } from './mounts.ts'
import { ageOf, evidenceOf } from './stored.ts'

const Kept = v.object({ at: Time, tree: TreeSighting })
type Kept = v.InferOutput<typeof Kept>

/** No path is spelled so: those begin with a slash. */
const sourceOf = (names: readonly PackageName[]): string => `npm ${names.join(' ')}`

/** The time is the gateway's own. */
export const resolved = async ({ store, arrivals, clock }: ReportMountsDeps, tree: TreeSighting): Promise<void> => {
  const record = JSON.stringify({ at: new Date(clock()).toISOString(), tree })
  await store.write((tx) =>
    tx.run('INSERT INTO sightings (source, record) VALUES (?, ?) ON CONFLICT (source) DO UPDATE SET record = excluded.record', [
      sourceOf(tree.names),
      record,
    ]),
  )
  arrivals.tell(treeArrival(tree.names))
}

export const readTree = async (rows: Rows, names: readonly PackageName[]): Promise<Kept | undefined> => {
  const row = await rows.get<{ record: string }>('SELECT record FROM sightings WHERE source = ?', [sourceOf(names)])
  return row === undefined ? undefined : v.parse(Kept, JSON.parse(row.record))
}

export const attachTree = async (rows: Rows, names: readonly PackageName[], { now, fresh }: Look): Promise<Evidence> => {
  const kept = await readTree(rows, names)
  if (kept === undefined || (fresh && now - Date.parse(kept.at) > limits.evidenceFresh)) return { status: 'unavailable', names: [...names] }
  const { at, tree } = kept
  const common = { at, age: ageOf(at, now), names: [...names] }
  if ('refused' in tree) return { status: 'unresolved', ...common, refused: tree.refused }
  return { status: 'resolved', ...common, tree: digestOf(tree.lock), lock: tree.lock }
}

/** As it was approved: whatever the registry has said since. */
export const treeOf = async (
  { store }: Pick<ReportMountsDeps, 'store'>,
  changeID: ChangeID,
): Promise<{ tree: Digest; lock: PackageLock }> => {
  const change = await findChange(store.read, changeID)
  const evidence = change?.kind === 'packages' && change.state === 'applied' ? evidenceOf(change) : null
  if (evidence?.status !== 'resolved') throw unknownChange(changeID)
  return { tree: evidence.tree, lock: evidence.lock }
}

/** Those that some group has. */
export const treesOf = async ({ store }: Pick<ReportMountsDeps, 'store'>): Promise<Digest[]> => [
  ...new Set((await readGroups(store.read)).flatMap(({ packages }) => packages?.tree ?? [])),
]
