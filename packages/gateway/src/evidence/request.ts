// Requests new evidence where the known one is too old for a decision, and waits a little for it.
import { limits, type PackageName, type ServerName } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import { type EvidenceWaiters, pathArrival, type PendingRequests, serverArrival, treeArrival } from '../state/evidence-waiters.ts'
import type { Subscribers } from '../state/subscribers.ts'
import type { ChangeContext } from '../state/unit-config.ts'
import { readMountInspections } from './mounts.ts'
import { readObservation } from './observation.ts'
import { readTree } from './packages.ts'
import type { RequiredEvidence } from './stored.ts'

export interface RequestEvidenceDeps {
  readonly store: Store
  readonly subscribers: Subscribers
  readonly arrivals: EvidenceWaiters
  readonly asking: PendingRequests
  /** Milliseconds. */
  readonly evidenceWait: number
  /** Milliseconds that a tree of packages is waited for. */
  readonly treeWait: number
}

const isFresh = (at: string | undefined, now: number): boolean => at !== undefined && now - Date.parse(at) <= limits.evidenceFresh

const summonBroker = async (
  { store, subscribers, arrivals, asking, evidenceWait }: RequestEvidenceDeps,
  server: ServerName,
  context: ChangeContext,
): Promise<boolean> => {
  const entryDigest = context.servers?.get(server)
  if (entryDigest === undefined) return false
  const observation = await readObservation(store.read, server, entryDigest)
  if (isFresh(observation?.at, context.now)) return false
  await asking.until({
    of: 'broker',
    answer: arrivals.wait(serverArrival(server), evidenceWait),
    ask: () => subscribers.broker('observation-wanted', { server }),
  })
  return true
}

const summonRunner = async (
  { store, subscribers, arrivals, asking, evidenceWait }: RequestEvidenceDeps,
  wanted: readonly string[],
  context: ChangeContext,
): Promise<boolean> => {
  const seen = new Map((await readMountInspections(store.read, wanted)).map(({ source, at }) => [source, at]))
  const sources = wanted.filter((source) => !isFresh(seen.get(source), context.now))
  if (sources.length === 0) return false
  await asking.until({
    of: 'runner',
    answer: Promise.all(sources.map((source) => arrivals.wait(pathArrival(source), evidenceWait))),
    ask: () => subscribers.runner('mounts-wanted', { sources }),
  })
  return true
}

const summonTree = async (
  { store, subscribers, arrivals, asking, treeWait }: RequestEvidenceDeps,
  names: readonly PackageName[],
  context: ChangeContext,
): Promise<boolean> => {
  const seen = await readTree(store.read, names)
  if (isFresh(seen?.at, context.now)) return false
  await asking.until({
    of: 'runner',
    answer: arrivals.wait(treeArrival(names), treeWait),
    ask: () => subscribers.runner('packages-wanted', { names: [...names] }),
  })
  return true
}

/** Resolves with whether time has passed, so that the context may be another one. */
export const requestEvidence = async (
  deps: RequestEvidenceDeps,
  wanted: RequiredEvidence | undefined,
  context: ChangeContext,
): Promise<boolean> => {
  if (wanted?.from === 'broker') return summonBroker(deps, wanted.server, context)
  if (wanted?.from === 'runner') return summonRunner(deps, wanted.sources, context)
  if (wanted?.from === 'registry') return summonTree(deps, wanted.names, context)
  return false
}
