// Takes a tool server out of the catalog. Grants for it stay: they work again when it is put back.
import { type Digest, type ServerName, ServiceError } from '@gatehouse/contracts'
import type { Actor } from '../changes/lines.ts'
import { assertTag } from './precondition.ts'
import { assertEnabled, type CatalogDeps, catalogLock } from './put.ts'
import { sealEntry, settleCatalog } from './settle.ts'
import { spell } from './spelling.ts'

export const unknownServer = (name: ServerName): ServiceError =>
  new ServiceError('not-found', { detail: `there is no tool server ${name} in the catalog`, hint: 'list the tool servers' })

export interface RemoveRequest {
  readonly name: ServerName
  readonly ifMatch?: Digest | null | undefined
}

export const removeServer = async (deps: CatalogDeps, actor: Actor, { name: given, ifMatch }: RemoveRequest): Promise<void> => {
  const { catalog, ledger, lock, audience, secrets } = deps
  assertEnabled(catalog)
  await lock(catalogLock, async () => {
    await catalog.assertUntouched()
    await settleCatalog(deps)
    const name = await spell(deps, given)
    const item = catalog.item(name)
    if (item === undefined) throw unknownServer(name)
    assertTag(name, item, ifMatch)
    const detail = { name, digest: item.digest, tag: item.tag, entry: sealEntry(secrets, item.entry) }
    await ledger.commit([{ stage: 'catalog-delete', edge: actor.edge, principal: actor.principal, detail }])
    await settleCatalog(deps)
    audience.broker('catalog-changed', {})
  })
}
