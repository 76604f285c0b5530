// Keeps what the broker saw a server declare. Ignores a listing of an entry that is no longer the present one.
import { type Digest, type Observation, type ServerName, ServiceError, type ToolDefinition } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import type { Catalog } from '../catalog/file.ts'
import { digestOfEntry } from '../catalog/identity.ts'
import { canonical } from '../changes/digest.ts'

export interface Observe {
  readonly store: Store
  readonly catalog: Catalog
  readonly clock: () => number
}

const assertCanonical = (tools: readonly ToolDefinition[]): void => {
  try {
    canonical(tools)
  } catch (error) {
    throw new ServiceError('invalid', { detail: 'expected definitions in well-formed Unicode, got a lone surrogate', cause: error })
  }
}

export const observe = async (deps: Observe, seen: { server: ServerName; entryDigest: Digest; tools: ToolDefinition[] }): Promise<void> => {
  const entry = deps.catalog.get(seen.server)
  if (entry === undefined || digestOfEntry(entry) !== seen.entryDigest) return
  assertCanonical(seen.tools)
  const observation: Observation = { ...seen, at: new Date(deps.clock()).toISOString() }
  await deps.store.write((tx) =>
    tx.run('INSERT INTO observations (server, record) VALUES (?, ?) ON CONFLICT (server) DO UPDATE SET record = excluded.record', [
      seen.server,
      JSON.stringify(observation),
    ]),
  )
}
