// Requests new evidence if the known evidence is too old for a decision, and waits for it for a limited time.
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
  /** Milliseconds to wait for a listing or an inspection. */
  readonly evidenceWait: number
  /** Milliseconds to wait for a package tree. */
  readonly treeWait: number
}

const isFresh = (at: string | undefined, now: number): boolean => at !== undefined && now - Date.parse(at) <= limits.evidenceFresh

const requestListing = async (
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

const requestInspections = async (
  { store, subscribers, arrivals, asking, evidenceWait }: RequestEvidenceDeps,
  required: readonly string[],
  context: ChangeContext,
): Promise<boolean> => {
  const seen = new Map((await readMountInspections(store.read, required)).map(({ source, at }) => [source, at]))
  const sources = required.filter((source) => !isFresh(seen.get(source), context.now))
  if (sources.length === 0) return false
  await asking.until({
    of: 'runner',
    answer: Promise.all(sources.map((source) => arrivals.wait(pathArrival(source), evidenceWait))),
    ask: () => subscribers.runner('mounts-wanted', { sources }),
  })
  return true
}

const requestTree = async (
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

/** Resolves with whether it waited, so the context may have changed. */
export const requestEvidence = async (
  deps: RequestEvidenceDeps,
  required: RequiredEvidence | undefined,
  context: ChangeContext,
): Promise<boolean> => {
  if (required?.from === 'broker') return requestListing(deps, required.server, context)
  if (required?.from === 'runner') return requestInspections(deps, required.sources, context)
  if (required?.from === 'registry') return requestTree(deps, required.names, context)
  return false
}
