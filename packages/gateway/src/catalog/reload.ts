// Takes over what an operator wrote into the catalog file: each difference in the journal first, then in force.
import type { ReloadOutcome } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import { type Actor, itself } from '../changes/lines.ts'
import { concern, type Concern } from '../grants/suspend.ts'
import type { CatalogItem } from './catalog.ts'
import { detailOf, type Difference, differences, exchanges } from './differences.ts'
import { knownItems } from './known.ts'
import { assertEnabled, type CatalogDeps, catalogLock, tellExchanged } from './put.ts'
import { settleCatalog, waitingNames } from './settle.ts'
import { spellItems } from './spelling.ts'

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
  return deps.lock(catalogLock, async () => {
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
  await deps.lock(catalogLock, async () => {
    deps.catalog.recall(await spellItems(deps, deps.catalog.items()))
    await settleCatalog(deps)
    const found = differences(await knownItems(deps), deps.catalog.items())
    if (found.length > 0) tellExchanged(deps, { ...(await journal(deps, itself, found)), names: [] })
  })
}
