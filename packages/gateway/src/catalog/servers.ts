// Configures tool servers: an operator's action that is journaled before the file is written and needs no approval.
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
import { concern, type Suspension } from '../grants/suspend.ts'
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

/** Whether an entry is in the state that an operator last saw. */
const shown = (tag: Digest | null | undefined): string => tag ?? 'no entry'

/** Throws `precondition-failed`. @param ifMatch undefined where any state will do, null for "there must be none" */
const assertTag = (name: ServerName, stored: CatalogItem | undefined, ifMatch: Digest | null | undefined): void => {
  if (ifMatch === undefined || (stored?.tag ?? null) === ifMatch) return
  throw new ServiceError('precondition-failed', {
    detail: `expected the tool server ${name} as ${shown(ifMatch)}, got ${shown(stored?.tag)}`,
    hint: 'read the entry again and decide on what it is now',
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
  /** The state that the entry must be in; null for "there must be none". */
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

export const tellExchanged = (
  { subscribers, drift }: Pick<CatalogDeps, 'subscribers' | 'drift'>,
  { suspended, names }: { suspended: readonly Suspension[]; names: readonly ServerName[] },
): void => {
  subscribers.broker('catalog-changed', {})
  for (const { agentGroupID, server } of suspended) subscribers.broker('grant-changed', { agentGroupID, server })
  for (const name of names) void drift.look(name)
}

export const putServer = async (deps: CatalogDeps, actor: Actor, given: PutRequest): Promise<Put> => {
  assertEnabled(deps.catalog)
  const sent = readEntry(given.entry)
  return deps.lock(unitLocks.catalog, async () => {
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

/** Takes a tool server out of the catalog. Grants for it stay: they work again when it is put back. */
const unknownServer = (name: ServerName): ServiceError =>
  new ServiceError('not-found', { detail: `there is no tool server ${name} in the catalog`, hint: 'list the tool servers' })

export interface RemoveRequest {
  readonly name: ServerName
  readonly ifMatch?: Digest | null | undefined
}

export const removeServer = async (deps: CatalogDeps, actor: Actor, { name: given, ifMatch }: RemoveRequest): Promise<void> => {
  const { catalog, ledger, lock, subscribers, secrets } = deps
  assertEnabled(catalog)
  await lock(unitLocks.catalog, async () => {
    await catalog.assertUntouched()
    await settleCatalog(deps)
    const name = await spell(deps, given)
    const item = catalog.item(name)
    if (item === undefined) throw unknownServer(name)
    assertTag(name, item, ifMatch)
    const detail = { name, digest: item.digest, tag: item.tag, entry: sealEntry(secrets, item.entry) }
    await ledger.commit([{ stage: 'catalog-delete', edge: actor.edge, principal: actor.principal, detail }])
    await settleCatalog(deps)
    subscribers.broker('catalog-changed', {})
  })
}

/** With values: for the broker's edge alone. */
export const storedServers = (catalog: Catalog): CatalogItem[] => [...catalog.items()]

const masked = (item: CatalogItem): NamedEntry => ({ ...item, entry: maskEntry(item.entry) })

export const listServers = (catalog: Catalog): { items: NamedEntry[] } => {
  assertEnabled(catalog)
  return { items: catalog.items().map(masked) }
}

export const readServer = async (deps: Pick<SettleDeps, 'catalog' | 'store'>, name: ServerName): Promise<NamedEntry> => {
  assertEnabled(deps.catalog)
  const item = deps.catalog.item(await spell(deps, name))
  if (item === undefined) throw unknownServer(name)
  return masked(item)
}
