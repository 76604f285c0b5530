// Evidence for mounts: what the runner found at paths of the host. Two sightings of one path are one row, the later one.
import { limits, type Mount, MountSighting } from '@gatehouse/contracts'
import type { Rows, Store } from '@gatehouse/store'
import * as v from 'valibot'
import type { MountElsewhere } from '../registry/world.ts'
import { type Arrivals, pathArrival } from './arrivals.ts'
import { ageOf, type Evidence } from './evidence.ts'

export interface SightedDeps {
  readonly store: Store
  readonly arrivals: Arrivals
  readonly clock: () => number
}

/** The time is the gateway's own, whatever the runner's clock says. */
export const sighted = async ({ store, arrivals, clock }: SightedDeps, mounts: readonly MountSighting[]): Promise<void> => {
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

export const readSightings = async (rows: Rows, sources: readonly string[]): Promise<MountSighting[]> => {
  const found = await rows.all<{ record: string }>(`SELECT record FROM sightings WHERE source IN (${sources.map(() => '?').join(', ')})`, [
    ...sources,
  ])
  return found.map((row) => v.parse(MountSighting, JSON.parse(row.record)))
}

/** Each with where its path was last seen to lead. */
export const withSightings = async (rows: Rows, mounts: readonly Mount[]): Promise<MountElsewhere[]> => {
  const sources = [...new Set(mounts.map(({ source }) => source))]
  const real = new Map((await readSightings(rows, sources)).map((sighting) => [sighting.source, sighting.real]))
  return mounts.map((mount) => ({ ...mount, real: real.get(mount.source) }))
}

export interface Look {
  readonly now: number
  /** Takes no sighting that is older than `limits.evidenceFresh`. */
  readonly fresh: boolean
}

const isUsable = ({ at }: MountSighting, { now, fresh }: Look): boolean => !fresh || now - Date.parse(at) <= limits.evidenceFresh

/** All paths in their order, or none: half of a picture would be taken for the whole. */
export const attachSightings = async (rows: Rows, sources: readonly string[], look: Look): Promise<Evidence> => {
  const found = new Map((await readSightings(rows, sources)).map((sighting) => [sighting.source, sighting]))
  const known = sources.flatMap((source) => found.get(source) ?? []).filter((sighting) => isUsable(sighting, look))
  const oldest = known.map(({ at }) => at).toSorted()[0]
  if (known.length < sources.length || oldest === undefined) return { status: 'unavailable', sources: [...sources] }
  const mounts = known.map(({ at: _at, ...sighting }) => sighting)
  return { status: 'sighted', at: oldest, age: ageOf(oldest, look.now), mounts }
}
