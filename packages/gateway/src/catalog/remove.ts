// Takes a tool server out of the catalog. Grants for it stay: they work again when it is put back.
import { type ServerName, ServiceError } from '@gatehouse/contracts'
import type { Actor } from '../changes/lines.ts'
import { digestOfEntry } from './identity.ts'
import { maskEntry } from './mask.ts'
import { assertEnabled, type CatalogDeps, catalogLock } from './put.ts'

export const unknownServer = (name: ServerName): ServiceError =>
  new ServiceError('not-found', { detail: `there is no tool server ${name} in the catalog`, hint: 'list the tool servers' })

export const removeServer = async ({ catalog, ledger, lock, audience }: CatalogDeps, actor: Actor, name: ServerName): Promise<void> => {
  assertEnabled(catalog)
  await lock(catalogLock, async () => {
    const entry = catalog.get(name)
    if (entry === undefined) throw unknownServer(name)
    const detail = { name, digest: digestOfEntry(entry), entry: maskEntry(entry) }
    await ledger.commit([{ stage: 'catalog-delete', edge: actor.edge, principal: actor.principal, detail }])
    await catalog.remove(name)
    audience.broker('catalog-changed', {})
  })
}
