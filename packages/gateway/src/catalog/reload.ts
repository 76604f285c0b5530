// Applies an operator's edits of the catalog file. Each difference is journaled first, then takes effect.
import { type Digest, type ReloadOutcome, ServerName } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import * as v from 'valibot'
import { type AffectedGrants, type EntryChange, findAffectedGrants } from '../grants/suspend.ts'
import { Sealed, type Secrets } from '../secrets.ts'
import { type CatalogItem, digestOfEntry, spellItems, tagOfEntry } from '../state/catalog.ts'
import { type Actor, systemActor } from '../state/change-records.ts'
import { unitLocks } from '../state/lock.ts'
import type { ReloadDetail } from './records.ts'
import { assertEnabled, type CatalogDeps, publishReplaced } from './servers.ts'
import { sealEntry, settleCatalog, type SettleDeps, unsealEntry, readPendingNames } from './settle.ts'

export interface Known {
  readonly name: ServerName
  readonly digest: Digest
  readonly tag: Digest
}

interface Difference {
  readonly name: ServerName
  readonly before: Known | undefined
  readonly after: CatalogItem | undefined
}

const compareEntries = (before: readonly Known[], after: readonly CatalogItem[]): Difference[] => {
  const previous = new Map(before.map((item) => [item.name, item]))
  const current = new Map(after.map((item) => [item.name, item]))
  const names = [...new Set([...previous.keys(), ...current.keys()])].toSorted()
  return names
    .map((name) => ({ name, before: previous.get(name), after: current.get(name) }))
    .filter((difference) => difference.before?.tag !== difference.after?.tag)
}

/** The differences that add or replace a server. */
const listEntryChanges = (differences: readonly Difference[]): EntryChange[] =>
  differences.flatMap(({ name, before, after }) => (after === undefined ? [] : [{ server: name, from: before?.digest, to: after.digest }]))

const toState = (known: Known | undefined) => (known === undefined ? null : { digest: known.digest, tag: known.tag })

const toDetail = (secrets: Secrets, differences: readonly Difference[]): ReloadDetail['entries'] =>
  differences.map(({ name, before, after }) => ({
    name,
    before: toState(before),
    after: toState(after),
    entry: after === undefined ? null : sealEntry(secrets, after.entry),
  }))

interface EntryRow {
  readonly name: string
  readonly entry: string
}

/** The catalog as the journal has it, regardless of the file. */
const readJournaledItems = async ({ store, secrets }: SettleDeps): Promise<CatalogItem[]> => {
  const rows = await store.read.all<EntryRow>('SELECT name, entry FROM catalog_writes WHERE entry IS NOT NULL ORDER BY name')
  return rows.map((row) => {
    const name = v.parse(ServerName, row.name)
    const entry = unsealEntry(secrets, v.parse(Sealed, JSON.parse(row.entry)))
    return { name, entry, digest: digestOfEntry(entry), tag: tagOfEntry(secrets, name, entry) }
  })
}

const journal = async (deps: CatalogDeps, actor: Actor, differences: readonly Difference[]): Promise<AffectedGrants> => {
  const affected = await findAffectedGrants(deps, listEntryChanges(differences))
  const detail = { entries: toDetail(deps.secrets, differences), ...affected }
  await deps.ledger.commit([{ stage: 'catalog-reload', edge: actor.edge, principal: actor.principal, by: actor.by, detail }])
  return affected
}

const listNames = (differences: readonly Difference[], which: (difference: Difference) => boolean) =>
  differences.filter(which).map(({ name }) => name)

/** The differences of a file. After a fault, entries with a pending journal record are skipped: the journal takes precedence. */
const findDifferences = async (deps: CatalogDeps, items: readonly CatalogItem[]): Promise<Difference[]> => {
  const found = compareEntries(deps.catalog.items(), items)
  if (deps.catalog.fault() === undefined) return found
  const pending = await readPendingNames(deps)
  return found.filter(({ name }) => !pending.has(name))
}

/** Reloads the file. Throws `conflict` if it cannot be used; the last valid version then stays in use. */
export const reloadCatalog = async (deps: CatalogDeps, actor: Actor): Promise<ReloadOutcome> => {
  assertEnabled(deps.catalog)
  return deps.lock(unitLocks.catalog, async () => {
    const reading = await deps.catalog.read()
    const items = await spellItems(deps, reading.items)
    const found = await findDifferences(deps, items)
    const affected = await journal(deps, actor, found)
    reading.adopt(items)
    await settleCatalog(deps)
    publishReplaced(deps, { ...affected, names: found.map(({ name }) => name) })
    return {
      added: listNames(found, ({ before }) => before === undefined),
      changed: listNames(found, ({ before, after }) => before !== undefined && after !== undefined),
      removed: listNames(found, ({ after }) => after === undefined),
      grants: affected.grants,
    }
  })
}

/** Restores the catalog from the journal in a restarted process if the file cannot be used, so no tool server is lost. */
export const restoreCatalog = async (
  deps: Pick<CatalogDeps, 'catalog' | 'store' | 'secrets'> & { readonly log: Logger },
): Promise<void> => {
  const reason = deps.catalog.fault()
  if (reason === undefined) return
  deps.log.warn('the catalog file cannot be used, keeping the last valid catalog', { reason })
  deps.catalog.restore(await readJournaledItems(deps))
}

/** At the start, writes pending entries to the file, and journals other differences of the file. */
export const reconcileCatalog = async (deps: CatalogDeps): Promise<void> => {
  if (!deps.catalog.enabled || deps.catalog.fault() !== undefined) return
  await deps.lock(unitLocks.catalog, async () => {
    deps.catalog.restore(await spellItems(deps, deps.catalog.items()))
    await settleCatalog(deps)
    const found = compareEntries(await readJournaledItems(deps), deps.catalog.items())
    if (found.length > 0) publishReplaced(deps, { ...(await journal(deps, systemActor, found)), names: [] })
  })
}
