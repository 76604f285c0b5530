// Configures a tool server: an operator's act, journaled before the file is written, not held.
import { CatalogEntry, type Digest, type ServerName, ServiceError } from '@gatehouse/contracts'
import type { Actor } from '../changes/lines.ts'
import type { Lock } from '../changes/lock.ts'
import type { Audience } from '../events/audience.ts'
import { invalid, parse } from '../input/parse.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { checkEntry, namesReference, referenceHint } from './check.ts'
import type { Catalog } from './file.ts'
import { digestOfEntry } from './identity.ts'
import { maskEntry, unmaskEntry } from './mask.ts'

export interface CatalogDeps {
  readonly catalog: Catalog
  readonly ledger: Ledger
  readonly lock: Lock
  readonly audience: Audience
}

export interface NamedEntry {
  readonly name: ServerName
  readonly entry: CatalogEntry
  readonly digest: Digest
}

/** No group has a space in its id. */
export const catalogLock = 'the catalog'

export const assertEnabled = (catalog: Catalog): void => {
  if (catalog.enabled) return
  throw new ServiceError('mcp-disabled', { hint: 'start the unit with --mcp-catalog <path>' })
}

const readEntry = (input: unknown): CatalogEntry => {
  const entry = parse(CatalogEntry, input, '')
  const issues = checkEntry(entry)
  if (issues.length > 0) throw invalid(issues, namesReference(entry) ? referenceHint : undefined)
  return entry
}

export const putServer = async (deps: CatalogDeps, actor: Actor, given: { name: ServerName; entry: unknown }) => {
  assertEnabled(deps.catalog)
  const sent = readEntry(given.entry)
  return deps.lock(catalogLock, async () => {
    const { name } = given
    const stored = deps.catalog.get(name)
    const entry = unmaskEntry(sent, stored)
    const shown: NamedEntry = { name, entry: maskEntry(entry), digest: digestOfEntry(entry) }
    const created = stored === undefined
    await deps.ledger.commit([{ stage: 'catalog-put', edge: actor.edge, principal: actor.principal, detail: { created, ...shown } }])
    await deps.catalog.set(name, entry)
    deps.audience.broker('catalog-changed', {})
    return { created, ...shown }
  })
}
