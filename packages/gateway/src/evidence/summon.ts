// Asks the witness of a change to look again where what is known is too old for a decision, and waits a little for it.
import { limits, type PackageName, type ServerName } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import type { Audience } from '../events/audience.ts'
import type { World } from '../registry/world.ts'
import { type Arrivals, pathArrival, serverArrival, treeArrival } from './arrivals.ts'
import type { Asking } from './asking.ts'
import type { Wanted } from './evidence.ts'
import { readObservation } from './observation.ts'
import { readSightings } from './sightings.ts'
import { readTree } from './trees.ts'

export interface SummonDeps {
  readonly store: Store
  readonly audience: Audience
  readonly arrivals: Arrivals
  readonly asking: Asking
  /** Milliseconds. */
  readonly evidenceWait: number
  /** Milliseconds that a tree of packages is waited for. */
  readonly treeWait: number
}

const isFresh = (at: string | undefined, now: number): boolean => at !== undefined && now - Date.parse(at) <= limits.evidenceFresh

const summonBroker = async (
  { store, audience, arrivals, asking, evidenceWait }: SummonDeps,
  server: ServerName,
  world: World,
): Promise<boolean> => {
  const entryDigest = world.servers?.get(server)
  if (entryDigest === undefined) return false
  const observation = await readObservation(store.read, server, entryDigest)
  if (isFresh(observation?.at, world.now)) return false
  await asking.until({
    of: 'broker',
    answer: arrivals.wait(serverArrival(server), evidenceWait),
    ask: () => audience.broker('observation-wanted', { server }),
  })
  return true
}

const summonRunner = async (
  { store, audience, arrivals, asking, evidenceWait }: SummonDeps,
  wanted: readonly string[],
  world: World,
): Promise<boolean> => {
  const seen = new Map((await readSightings(store.read, wanted)).map(({ source, at }) => [source, at]))
  const sources = wanted.filter((source) => !isFresh(seen.get(source), world.now))
  if (sources.length === 0) return false
  await asking.until({
    of: 'runner',
    answer: Promise.all(sources.map((source) => arrivals.wait(pathArrival(source), evidenceWait))),
    ask: () => audience.runner('mounts-wanted', { sources }),
  })
  return true
}

const summonTree = async (
  { store, audience, arrivals, asking, treeWait }: SummonDeps,
  names: readonly PackageName[],
  world: World,
): Promise<boolean> => {
  const seen = await readTree(store.read, names)
  if (isFresh(seen?.at, world.now)) return false
  await asking.until({
    of: 'runner',
    answer: arrivals.wait(treeArrival(names), treeWait),
    ask: () => audience.runner('packages-wanted', { names: [...names] }),
  })
  return true
}

/** Resolves with whether time has passed, so that the world may be another one. */
export const summon = async (deps: SummonDeps, wanted: Wanted | undefined, world: World): Promise<boolean> => {
  if (wanted?.from === 'broker') return summonBroker(deps, wanted.server, world)
  if (wanted?.from === 'runner') return summonRunner(deps, wanted.sources, world)
  if (wanted?.from === 'registry') return summonTree(deps, wanted.names, world)
  return false
}
