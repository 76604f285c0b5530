// Evidence for mounts: the runner's inspections of host paths. A later inspection of a path replaces the earlier one.
import { limits, type Mount, MountSighting, type Evidence } from '@gatehouse/contracts'
import type { Rows, Store } from '@gatehouse/store'
import * as v from 'valibot'
import { type EvidenceWaiters, pathArrival } from '../state/evidence-waiters.ts'
import type { OtherGroupMount } from '../state/unit-config.ts'
import { computeAge } from './stored.ts'

export interface ReportMountsDeps {
  readonly store: Store
  readonly arrivals: EvidenceWaiters
  readonly clock: () => number
}

/** Stores inspections with the time of the gateway, not that of the runner. */
export const reportMounts = async ({ store, arrivals, clock }: ReportMountsDeps, mounts: readonly MountSighting[]): Promise<void> => {
  const at = new Date(clock()).toISOString()
  await store.write(async (tx) => {
    for (const inspection of mounts) {
      await tx.run('INSERT INTO sightings (source, record) VALUES (?, ?) ON CONFLICT (source) DO UPDATE SET record = excluded.record', [
        inspection.source,
        JSON.stringify({ ...inspection, at }),
      ])
    }
  })
  for (const { source } of mounts) arrivals.notify(pathArrival(source))
}

export const readMountInspections = async (rows: Rows, sources: readonly string[]): Promise<MountSighting[]> => {
  const records = await rows.all<{ record: string }>(
    `SELECT record FROM sightings WHERE source IN (${sources.map(() => '?').join(', ')})`,
    [...sources],
  )
  return records.map((row) => v.parse(MountSighting, JSON.parse(row.record)))
}

/** Adds to each mount the resolved path of its last inspection. */
export const withMountInspections = async (rows: Rows, mounts: readonly Mount[]): Promise<OtherGroupMount[]> => {
  const sources = [...new Set(mounts.map(({ source }) => source))]
  const real = new Map((await readMountInspections(rows, sources)).map((inspection) => [inspection.source, inspection.real]))
  return mounts.map((mount) => ({ ...mount, real: real.get(mount.source) }))
}

export interface EvidenceAge {
  readonly now: number
  /** Ignores evidence that is older than `limits.evidenceFresh`. */
  readonly fresh: boolean
}

const isUsable = ({ at }: MountSighting, { now, fresh }: EvidenceAge): boolean => !fresh || now - Date.parse(at) <= limits.evidenceFresh

/** Evidence for all paths, or `unavailable` if an inspection is missing: partial evidence could mislead the approver. */
export const attachMountInspections = async (rows: Rows, sources: readonly string[], age: EvidenceAge): Promise<Evidence> => {
  const inspections = new Map((await readMountInspections(rows, sources)).map((inspection) => [inspection.source, inspection]))
  const known = sources.flatMap((source) => inspections.get(source) ?? []).filter((inspection) => isUsable(inspection, age))
  const oldest = known.map(({ at }) => at).toSorted()[0]
  if (known.length < sources.length || oldest === undefined) return { status: 'unavailable', sources: [...sources] }
  const mounts = known.map(({ at: _at, ...inspection }) => inspection)
  return { status: 'sighted', at: oldest, age: computeAge(oldest, age.now), mounts }
}
