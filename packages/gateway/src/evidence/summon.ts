// Asks the witness of a change to look again where what is known is too old for a decision, and waits a little for it.
import { limits, type PackageName, type ServerName } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import type { Audience } from '../events/audience.ts'
import type { World } from '../registry/world.ts'
import { type Arrivals, pathArrival, serverArrival, treeArrival } from './arrivals.ts'
import type { Wanted } from './evidence.ts'
import { readObservation } from './observation.ts'
import { readSightings } from './sightings.ts'
import { readTree } from './trees.ts'

export interface SummonDeps {
  readonly store: Store
  readonly audience: Audience
  readonly arrivals: Arrivals
  /** Milliseconds. */
  readonly evidenceWait: number
  /** Milliseconds that a tree of packages is waited for. */
  readonly treeWait: number
}

const isFresh = (at: string | undefined, now: number): boolean => at !== undefined && now - Date.parse(at) <= limits.evidenceFresh

const summonBroker = async (
  { store, audience, arrivals, evidenceWait }: SummonDeps,
  server: ServerName,
  world: World,
): Promise<boolean> => {
  const entryDigest = world.servers?.get(server)
  if (entryDigest === undefined) return false
  const observation = await readObservation(store.read, server, entryDigest)
  if (isFresh(observation?.at, world.now)) return false
  const arrival = arrivals.wait(serverArrival(server), evidenceWait)
  audience.broker('observation-wanted', { server })
  await arrival
  return true
}

const summonRunner = async ({ store, audience, arrivals, evidenceWait }: SummonDeps, wanted: readonly string[], world: World) => {
  const seen = new Map((await readSightings(store.read, wanted)).map(({ source, at }) => [source, at]))
  const sources = wanted.filter((source) => !isFresh(seen.get(source), world.now))
  if (sources.length === 0) return false
  const arrival = Promise.all(sources.map((source) => arrivals.wait(pathArrival(source), evidenceWait)))
  audience.runner('mounts-wanted', { sources })
  await arrival
  return true
}

const summonTree = async ({ store, audience, arrivals, treeWait }: SummonDeps, names: readonly PackageName[], world: World) => {
  const seen = await readTree(store.read, names)
  if (isFresh(seen?.at, world.now)) return false
  const arrival = arrivals.wait(treeArrival(names), treeWait)
  audience.runner('packages-wanted', { names: [...names] })
  await arrival
  return true
}

/** Resolves with whether time has passed, so that the world may be another one. */
export const summon = async (deps: SummonDeps, wanted: Wanted | undefined, world: World): Promise<boolean> => {
  if (wanted?.from === 'broker') return summonBroker(deps, wanted.server, world)
  if (wanted?.from === 'runner') return summonRunner(deps, wanted.sources, world)
  if (wanted?.from === 'registry') return summonTree(deps, wanted.names, world)
  return false
}
