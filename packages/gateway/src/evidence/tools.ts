// Stores the tool definitions that the broker saw a server declare. Ignores a listing of a replaced entry.
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

export interface Observe {
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

/** What could not be pinned, or not be read again from the database, is no definition. */
const assertUsable = (tools: readonly ToolDefinition[]): void => {
  if (!tools.every(({ name }) => v.is(UsableName, name)))
    throw new ServiceError('invalid', { detail: 'expected tools under other names than __proto__, constructor and prototype' })
  if (tools.some((tool) => isDeeperThan(tool, limits.jsonDepth)))
    throw new ServiceError('invalid', { detail: `expected definitions of at most ${limits.jsonDepth} levels, got a deeper one` })
}

const assertCanonical = (tools: readonly ToolDefinition[]): void => {
  try {
    canonical(tools)
  } catch (error) {
    throw new ServiceError('invalid', { detail: 'expected definitions in well-formed Unicode, got a lone surrogate', cause: error })
  }
}

/** Calls are judged by it from here on; when it resolves, the grants that rest on it were looked at. */
export const observe = async (deps: Observe, seen: Listing): Promise<void> => {
  if (deps.catalog.item(seen.server)?.digest !== seen.entryDigest) return
  assertUsable(seen.tools)
  assertCanonical(seen.tools)
  const observation: Observation = { ...seen, at: new Date(deps.clock()).toISOString() }
  deps.declared.keep(observation)
  await deps.store.write((tx) =>
    tx.run('INSERT INTO observations (server, record) VALUES (?, ?) ON CONFLICT (server) DO UPDATE SET record = excluded.record', [
      seen.server,
      JSON.stringify(observation),
    ]),
  )
  deps.arrivals.tell(serverArrival(seen.server))
  await deps.drift.look(seen.server)
}
