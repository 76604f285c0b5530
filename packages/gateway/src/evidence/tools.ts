// Stores the tool definitions that the broker received from a server. Ignores listings of a replaced entry.
import {
  type Digest,
  isDeeperThan,
  limits,
  type Observation,
  type ServerName,
  ServiceError,
  type ToolDefinition,
  usableName,
} from '@gatehouse/contracts'
import { canonical } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import type { Catalog } from '../state/catalog.ts'
import type { DriftWatch } from '../state/drift-watch.ts'
import { type EvidenceWaiters, serverArrival } from '../state/evidence-waiters.ts'
import type { ToolDefinitions } from '../state/tool-definitions.ts'

export interface ObserveDeps {
  readonly store: Store
  readonly catalog: Catalog
  readonly declared: ToolDefinitions
  readonly drift: DriftWatch
  readonly arrivals: EvidenceWaiters
  readonly clock: () => number
}

export interface Listing {
  readonly server: ServerName
  readonly entryDigest: Digest
  readonly tools: ToolDefinition[]
}

const UsableName = v.pipe(v.string(), usableName)

/** Refuses definitions that cannot be pinned or read back from the database. */
const assertUsable = (tools: readonly ToolDefinition[]): void => {
  if (!tools.every(({ name }) => v.is(UsableName, name)))
    throw new ServiceError('invalid', { detail: 'a tool cannot be named __proto__, constructor or prototype' })
  if (tools.some((tool) => isDeeperThan(tool, limits.jsonDepth)))
    throw new ServiceError('invalid', { detail: `a tool definition is nested deeper than ${limits.jsonDepth} levels` })
}

const assertCanonical = (tools: readonly ToolDefinition[]): void => {
  try {
    canonical(tools)
  } catch (error) {
    throw new ServiceError('invalid', { detail: 'a tool definition contains a lone surrogate, which is not valid Unicode', cause: error })
  }
}

/** Stores a listing, which applies to calls at once. Resolves after the grants of the server were reviewed. */
export const observe = async (deps: ObserveDeps, listing: Listing): Promise<void> => {
  if (deps.catalog.item(listing.server)?.digest !== listing.entryDigest) return
  assertUsable(listing.tools)
  assertCanonical(listing.tools)
  const observation: Observation = { ...listing, at: new Date(deps.clock()).toISOString() }
  deps.declared.keep(observation)
  await deps.store.write((tx) =>
    tx.run('INSERT INTO observations (server, record) VALUES (?, ?) ON CONFLICT (server) DO UPDATE SET record = excluded.record', [
      listing.server,
      JSON.stringify(observation),
    ]),
  )
  deps.arrivals.notify(serverArrival(listing.server))
  await deps.drift.look(listing.server)
}
