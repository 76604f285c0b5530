// Evidence for mounts: what the runner found at host paths. The later inspection of a path replaces the earlier one.
import { limits, type Mount, MountSighting, type Evidence } from '@gatehouse/contracts'
import type { Rows, Store } from '@gatehouse/store'
import * as v from 'valibot'
import { type EvidenceWaiters, pathArrival } from '../state/evidence-waiters.ts'
import type { OtherGroupMount } from '../state/unit-config.ts'
import { ageOf } from './stored.ts'

export interface ReportMountsDeps {
  readonly store: Store
  readonly arrivals: EvidenceWaiters
  readonly clock: () => number
}

/** The time is the gateway's own, whatever the runner's clock says. */
export const reportMounts = async ({ store, arrivals, clock }: ReportMountsDeps, mounts: readonly MountSighting[]): Promise<void> => {
  const at = new Date(clock()).toISOString()
  await store.write(async (tx) => {
    for (const sighting of mounts) {
      await tx.run('INSERT INTO sightings (source, record) VALUES (?, ?) ON CONFLICT (source) DO UPDATE SET record = excluded.record', [
        sighting.source,
        JSON.stringify({ ...sighting, at }),
      ])
    }
  })
  for (const { source } of mounts) arrivals.tell(pathArrival(source))
}

export const readMountInspections = async (rows: Rows, sources: readonly string[]): Promise<MountSighting[]> => {
  const found = await rows.all<{ record: string }>(`SELECT record FROM sightings WHERE source IN (${sources.map(() => '?').join(', ')})`, [
    ...sources,
  ])
  return found.map((row) => v.parse(MountSighting, JSON.parse(row.record)))
}

/** Each with where its path was last seen to lead. */
export const withMountInspections = async (rows: Rows, mounts: readonly Mount[]): Promise<OtherGroupMount[]> => {
  const sources = [...new Set(mounts.map(({ source }) => source))]
  const real = new Map((await readMountInspections(rows, sources)).map((sighting) => [sighting.source, sighting.real]))
  return mounts.map((mount) => ({ ...mount, real: real.get(mount.source) }))
}

export interface Look {
  readonly now: number
  /** Takes no sighting that is older than `limits.evidenceFresh`. */
  readonly fresh: boolean
}

const isUsable = ({ at }: MountSighting, { now, fresh }: Look): boolean => !fresh || now - Date.parse(at) <= limits.evidenceFresh

/** All paths in their order, or none: half of a picture would be taken for the whole. */
export const attachMountInspections = async (rows: Rows, sources: readonly string[], look: Look): Promise<Evidence> => {
  const found = new Map((await readMountInspections(rows, sources)).map((sighting) => [sighting.source, sighting]))
  const known = sources.flatMap((source) => found.get(source) ?? []).filter((sighting) => isUsable(sighting, look))
  const oldest = known.map(({ at }) => at).toSorted()[0]
  if (known.length < sources.length || oldest === undefined) return { status: 'unavailable', sources: [...sources] }
  const mounts = known.map(({ at: _at, ...sighting }) => sighting)
  return { status: 'sighted', at: oldest, age: ageOf(oldest, look.now), mounts }
}
