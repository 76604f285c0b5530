// Configures tool servers. An operator's edit needs no approval; it is journaled before the file is written.
import {
  CatalogEntry,
  type Digest,
  type GrantRef,
  type NamedEntry,
  type Pinning,
  type ServerName,
  ServiceError,
} from '@gatehouse/contracts'
import type { Clock } from '@gatehouse/kernel'
import { findAffectedGrants, type Suspension } from '../grants/suspend.ts'
import { invalid, parse } from '../input.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Catalog, type CatalogItem, digestOfEntry, spell, tagOfEntry } from '../state/catalog.ts'
import type { Actor } from '../state/change-records.ts'
import type { DriftWatch } from '../state/drift-watch.ts'
import type { GrantTable } from '../state/grants.ts'
import { type Lock, unitLocks } from '../state/lock.ts'
import type { Subscribers } from '../state/subscribers.ts'
import { checkEntry, maskEntry, namesReference, referenceHint, unmaskEntry } from './entry.ts'
import { type Images, pinImage } from './images.ts'
import type { PutDetail } from './records.ts'
import { sealEntry, settleCatalog, type SettleDeps } from './settle.ts'

const describeTag = (tag: Digest | null | undefined): string => tag ?? 'no entry'

/** Throws `precondition-failed`. @param ifMatch undefined to accept any version, null to require that there is no entry */
const assertTag = (name: ServerName, stored: CatalogItem | undefined, ifMatch: Digest | null | undefined): void => {
  if (ifMatch === undefined || (stored?.tag ?? null) === ifMatch) return
  throw new ServiceError('precondition-failed', {
    detail: `the tool server ${name} is at version ${describeTag(stored?.tag)}, not ${describeTag(ifMatch)}`,
    hint: 'read the entry again, then repeat the edit',
  })
}

export interface CatalogDeps extends SettleDeps {
  readonly images: Images
  readonly boot: { readonly pinning: Pinning }
  readonly ledger: Ledger
  readonly lock: Lock
  readonly subscribers: Subscribers
  readonly table: GrantTable
  readonly drift: DriftWatch
  readonly clock: Clock
}

export interface PutRequest {
  readonly name: ServerName
  readonly entry: unknown
  /** The required version of the entry; null to require that there is none. */
  readonly ifMatch?: Digest | null | undefined
}

export interface Put extends CatalogItem {
  readonly created: boolean
  readonly grants: GrantRef[]
}

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

export const publishReplaced = (
  { subscribers, drift }: Pick<CatalogDeps, 'subscribers' | 'drift'>,
  { suspended, names }: { suspended: readonly Suspension[]; names: readonly ServerName[] },
): void => {
  subscribers.broker('catalog-changed', {})
  for (const { agentGroupID, server } of suspended) subscribers.broker('grant-changed', { agentGroupID, server })
  for (const name of names) void drift.look(name)
}

export const putServer = async (deps: CatalogDeps, actor: Actor, request: PutRequest): Promise<Put> => {
  assertEnabled(deps.catalog)
  const requested = readEntry(request.entry)
  return deps.lock(unitLocks.catalog, async () => {
    const { catalog, secrets } = deps
    await catalog.assertUntouched()
    await settleCatalog(deps)
    const name = await spell(deps, request.name)
    const stored = catalog.item(name)
    assertTag(name, stored, request.ifMatch)
    const entry = unmaskEntry(await pinImage(deps.images, requested, stored?.entry), stored?.entry)
    const item: CatalogItem = { name, entry, digest: digestOfEntry(entry), tag: tagOfEntry(secrets, name, entry) }
    const affected = await findAffectedGrants(deps, [{ server: name, from: stored?.digest, to: item.digest }])
    const created = stored === undefined
    const detail: PutDetail = { created, ...item, before: stored?.digest ?? null, entry: sealEntry(secrets, entry), ...affected }
    await deps.ledger.commit([{ stage: 'catalog-put', edge: actor.edge, principal: actor.principal, detail }])
    await settleCatalog(deps)
    publishReplaced(deps, { ...affected, names: [name] })
    return { created, ...item, entry: maskEntry(entry), grants: affected.grants }
  })
}

const unknownServer = (name: ServerName): ServiceError =>
  new ServiceError('not-found', { detail: `tool server ${name} not found in the catalog`, hint: 'list the tool servers' })

export interface RemoveRequest {
  readonly name: ServerName
  readonly ifMatch?: Digest | null | undefined
}

/** Removes a tool server from the catalog. Its grants stay, and work again if it is added again. */
export const removeServer = async (deps: CatalogDeps, actor: Actor, { name: requested, ifMatch }: RemoveRequest): Promise<void> => {
  const { catalog, ledger, lock, subscribers, secrets } = deps
  assertEnabled(catalog)
  await lock(unitLocks.catalog, async () => {
    await catalog.assertUntouched()
    await settleCatalog(deps)
    const name = await spell(deps, requested)
    const item = catalog.item(name)
    if (item === undefined) throw unknownServer(name)
    assertTag(name, item, ifMatch)
    const detail = { name, digest: item.digest, tag: item.tag, entry: sealEntry(secrets, item.entry) }
    await ledger.commit([{ stage: 'catalog-delete', edge: actor.edge, principal: actor.principal, detail }])
    await settleCatalog(deps)
    subscribers.broker('catalog-changed', {})
  })
}

/** The entries with their values, only for the broker. */
export const storedServers = (catalog: Catalog): CatalogItem[] => [...catalog.items()]

const maskItem = (item: CatalogItem): NamedEntry => ({ ...item, entry: maskEntry(item.entry) })

export const listServers = (catalog: Catalog): { items: NamedEntry[] } => {
  assertEnabled(catalog)
  return { items: catalog.items().map(maskItem) }
}

export const readServer = async (deps: Pick<SettleDeps, 'catalog' | 'store'>, name: ServerName): Promise<NamedEntry> => {
  assertEnabled(deps.catalog)
  const item = deps.catalog.item(await spell(deps, name))
  if (item === undefined) throw unknownServer(name)
  return maskItem(item)
}
