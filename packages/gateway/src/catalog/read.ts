// The catalog as people see it, masked, and as the broker needs it, as stored.
import type { NamedEntry, ServerName } from '@gatehouse/contracts'
import type { Catalog, CatalogItem } from './catalog.ts'
import { maskEntry } from './mask.ts'
import { assertEnabled } from './put.ts'
import { unknownServer } from './remove.ts'
import type { SettleDeps } from './settle.ts'
import { spell } from './spelling.ts'

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
