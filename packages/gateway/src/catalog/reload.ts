// Applies what an operator wrote into the catalog file: each difference is journaled first, then in force.
import { type Digest, type ReloadOutcome, ServerName } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import * as v from 'valibot'
import { concern, type Concern, type Exchange } from '../grants/suspend.ts'
import { Sealed, type Secrets } from '../secrets.ts'
import { type CatalogItem, digestOfEntry, spellItems, tagOfEntry } from '../state/catalog.ts'
import { type Actor, systemActor } from '../state/change-records.ts'
import { unitLocks } from '../state/lock.ts'
import type { ReloadDetail } from './records.ts'
import { assertEnabled, type CatalogDeps, tellExchanged } from './servers.ts'
import { sealEntry, settleCatalog, type SettleDeps, unsealEntry, waitingNames } from './settle.ts'

/** How one state of the catalog differs from another, entry by entry. */
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

const differences = (before: readonly Known[], after: readonly CatalogItem[]): Difference[] => {
  const were = new Map(before.map((item) => [item.name, item]))
  const are = new Map(after.map((item) => [item.name, item]))
  const names = [...new Set([...were.keys(), ...are.keys()])].toSorted()
  return names
    .map((name) => ({ name, before: were.get(name), after: are.get(name) }))
    .filter((difference) => difference.before?.tag !== difference.after?.tag)
}

/** Those that make a tool server another one. What is taken away makes none. */
const exchanges = (found: readonly Difference[]): Exchange[] =>
  found.flatMap(({ name, before, after }) => (after === undefined ? [] : [{ server: name, from: before?.digest, to: after.digest }]))

const stateOf = (known: Known | undefined) => (known === undefined ? null : { digest: known.digest, tag: known.tag })

const detailOf = (secrets: Secrets, found: readonly Difference[]): ReloadDetail['entries'] =>
  found.map(({ name, before, after }) => ({
    name,
    before: stateOf(before),
    after: stateOf(after),
    entry: after === undefined ? null : sealEntry(secrets, after.entry),
  }))

/** The catalog as the journal knows it, whatever the file says. */
interface EntryRow {
  readonly name: string
  readonly entry: string
}

const knownItems = async ({ store, secrets }: SettleDeps): Promise<CatalogItem[]> => {
  const rows = await store.read.all<EntryRow>('SELECT name, entry FROM catalog_writes WHERE entry IS NOT NULL ORDER BY name')
  return rows.map((row) => {
    const name = v.parse(ServerName, row.name)
    const entry = unsealEntry(secrets, v.parse(Sealed, JSON.parse(row.entry)))
    return { name, entry, digest: digestOfEntry(entry), tag: tagOfEntry(secrets, name, entry) }
  })
}

const journal = async (deps: CatalogDeps, actor: Actor, found: readonly Difference[]): Promise<Concern> => {
  const touched = await concern(deps, exchanges(found))
  const detail = { entries: detailOf(deps.secrets, found), ...touched }
  await deps.ledger.commit([{ stage: 'catalog-reload', edge: actor.edge, principal: actor.principal, by: actor.by, detail }])
  return touched
}

const namesOf = (found: readonly Difference[], which: (difference: Difference) => boolean) => found.filter(which).map(({ name }) => name)

/** What the journal wants of a file that could not be used goes before what the file says of it. */
const newIn = async (deps: CatalogDeps, items: readonly CatalogItem[]): Promise<Difference[]> => {
  const found = differences(deps.catalog.items(), items)
  if (deps.catalog.fault() === undefined) return found
  const waiting = await waitingNames(deps)
  return found.filter(({ name }) => !waiting.has(name))
}

/** Throws `conflict` for a file that cannot be used: then the last good one stays in force. */
export const reloadCatalog = async (deps: CatalogDeps, actor: Actor): Promise<ReloadOutcome> => {
  assertEnabled(deps.catalog)
  return deps.lock(unitLocks.catalog, async () => {
    const reading = await deps.catalog.read()
    const items = await spellItems(deps, reading.items)
    const found = await newIn(deps, items)
    const touched = await journal(deps, actor, found)
    reading.adopt(items)
    await settleCatalog(deps)
    tellExchanged(deps, { ...touched, names: found.map(({ name }) => name) })
    return {
      added: namesOf(found, ({ before }) => before === undefined),
      changed: namesOf(found, ({ before, after }) => before !== undefined && after !== undefined),
      removed: namesOf(found, ({ after }) => after === undefined),
      grants: touched.grants,
    }
  })
}

/** At the start of a process that comes back: a file that cannot be used takes no tool server away. */
export const recallCatalog = async (deps: Pick<CatalogDeps, 'catalog' | 'store' | 'secrets'> & { readonly log: Logger }): Promise<void> => {
  const reason = deps.catalog.fault()
  if (reason === undefined) return
  deps.log.warn('the catalog file cannot be used, and what was in force goes on', { reason })
  deps.catalog.recall(await knownItems(deps))
}

/** At start: what the journal wants of the file is done, and what the file says beside that is journaled. */
export const beginCatalog = async (deps: CatalogDeps): Promise<void> => {
  if (!deps.catalog.enabled || deps.catalog.fault() !== undefined) return
  await deps.lock(unitLocks.catalog, async () => {
    deps.catalog.recall(await spellItems(deps, deps.catalog.items()))
    await settleCatalog(deps)
    const found = differences(await knownItems(deps), deps.catalog.items())
    if (found.length > 0) tellExchanged(deps, { ...(await journal(deps, systemActor, found)), names: [] })
  })
}
