// The catalog as people see it, masked, and as the broker needs it, as stored.
import type { ServerName } from '@gatehouse/contracts'
import type { Catalog } from './file.ts'
import { digestOfEntry } from './identity.ts'
import { maskEntry } from './mask.ts'
import { assertEnabled, type NamedEntry } from './put.ts'
import { unknownServer } from './remove.ts'

/** With values: for the broker's edge alone. */
export const storedServers = (catalog: Catalog): NamedEntry[] =>
  catalog.names().flatMap((name) => {
    const entry = catalog.get(name)
    return entry === undefined ? [] : [{ name, entry, digest: digestOfEntry(entry) }]
  })

const masked = ({ name, entry, digest }: NamedEntry): NamedEntry => ({ name, entry: maskEntry(entry), digest })

export const listServers = (catalog: Catalog): { items: NamedEntry[] } => {
  assertEnabled(catalog)
  return { items: storedServers(catalog).map(masked) }
}

export const readServer = (catalog: Catalog, name: ServerName): NamedEntry => {
  assertEnabled(catalog)
  const entry = catalog.get(name)
  if (entry === undefined) throw unknownServer(name)
  return masked({ name, entry, digest: digestOfEntry(entry) })
}
