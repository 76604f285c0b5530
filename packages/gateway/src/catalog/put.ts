// Configures a tool server: an operator's act, journaled before the file is written, not held.
import { CatalogEntry, type Digest, type GrantRef, type Pinning, type ServerName, ServiceError } from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import type { Actor } from '../changes/lines.ts'
import type { Lock } from '../changes/lock.ts'
import type { Audience } from '../events/audience.ts'
import type { DriftWatch } from '../grants/drift-watch.ts'
import { concern, type Suspension } from '../grants/suspend.ts'
import type { GrantTable } from '../grants/table.ts'
import { invalid, parse } from '../input/parse.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { checkEntry, namesReference, referenceHint } from './check.ts'
import type { Catalog, CatalogItem } from './catalog.ts'
import { digestOfEntry, tagOfEntry } from './identity.ts'
import type { PutDetail } from './lines.ts'
import { type Images, pinImage } from './images.ts'
import { maskEntry, unmaskEntry } from './mask.ts'
import { assertTag } from './precondition.ts'
import { sealEntry, settleCatalog, type SettleDeps } from './settle.ts'
import { spell } from './spelling.ts'

export interface CatalogDeps extends SettleDeps {
  readonly images: Images
  readonly boot: { readonly pinning: Pinning }
  readonly ledger: Ledger
  readonly lock: Lock
  readonly audience: Audience
  readonly table: GrantTable
  readonly drift: DriftWatch
  readonly clock: Clock
}

export interface PutRequest {
  readonly name: ServerName
  readonly entry: unknown
  /** The state that the entry must be in; null for "there must be none". */
  readonly ifMatch?: Digest | null | undefined
}

export interface Put extends CatalogItem {
  readonly created: boolean
  readonly grants: GrantRef[]
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

export const tellExchanged = (
  { audience, drift }: Pick<CatalogDeps, 'audience' | 'drift'>,
  { suspended, names }: { suspended: readonly Suspension[]; names: readonly ServerName[] },
): void => {
  audience.broker('catalog-changed', {})
  for (const { agentGroupID, server } of suspended) audience.broker('grant-changed', { agentGroupID, server })
  for (const name of names) void drift.look(name)
}

export const putServer = async (deps: CatalogDeps, actor: Actor, given: PutRequest): Promise<Put> => {
  assertEnabled(deps.catalog)
  const sent = readEntry(given.entry)
  return deps.lock(catalogLock, async () => {
    const { catalog, secrets } = deps
    await catalog.assertUntouched()
    await settleCatalog(deps)
    const name = await spell(deps, given.name)
    const stored = catalog.item(name)
    assertTag(name, stored, given.ifMatch)
    const entry = unmaskEntry(await pinImage(deps.images, sent, stored?.entry), stored?.entry)
    const item: CatalogItem = { name, entry, digest: digestOfEntry(entry), tag: tagOfEntry(secrets, name, entry) }
    const touched = await concern(deps, [{ server: name, from: stored?.digest, to: item.digest }])
    const created = stored === undefined
    const detail: PutDetail = { created, ...item, before: stored?.digest ?? null, entry: sealEntry(secrets, entry), ...touched }
    await deps.ledger.commit([{ stage: 'catalog-put', edge: actor.edge, principal: actor.principal, detail }])
    await settleCatalog(deps)
    tellExchanged(deps, { ...touched, names: [name] })
    return { created, ...item, entry: maskEntry(entry), grants: touched.grants }
  })
}
