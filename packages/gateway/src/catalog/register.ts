// The entry of an approved `mcp_register`: made ready before the line of its apply, in the catalog file and in force after it.
import { type CatalogEntry, type ServerName, ServiceError } from '@gatehouse/contracts'
import { type Images, pinImage } from './images.ts'
import { type CatalogDeps, catalogLock, tellExchanged } from './put.ts'
import { type Sealed, sealEntry, settleCatalog, type SettleDeps, waitingNames } from './settle.ts'
import { spell } from './spelling.ts'

export interface RegisterDeps extends SettleDeps, Pick<CatalogDeps, 'lock' | 'audience' | 'drift'> {
  readonly images: Images
}

export interface Registration {
  readonly name: ServerName
  /** With its values. */
  readonly entry: CatalogEntry
}

const isTaken = (name: ServerName): ServiceError =>
  new ServiceError('conflict', {
    detail: `the name ${name} is in use in the catalog`,
    hint: 'register the tool server under another name, or remove the one that is there',
  })

/**
 * The entry as the journal and the file will hold it. Throws `conflict` where its name has another entry or the file was changed
 * by hand, `unavailable` where the file cannot be written. Under the lock of the catalog, which is kept until the line is written.
 */
export const prepareEntry = async (deps: RegisterDeps, { name, entry }: Registration): Promise<Sealed> => {
  await deps.catalog.assertUntouched()
  await settleCatalog(deps)
  const known = await spell(deps, name)
  if (known !== name || deps.catalog.item(name) !== undefined) throw isTaken(known)
  return sealEntry(deps.secrets, await pinImage(deps.images, entry, undefined))
}

/** After the line, under the lock of the catalog. Throws `unavailable` where the file cannot be written. */
export const enforceEntry = async (deps: RegisterDeps, name: ServerName): Promise<void> => {
  await settleCatalog(deps)
  tellExchanged(deps, { suspended: [], names: [name] })
}

/** Entries that could not be written behind their line. A file that was changed by hand gets them when it is reloaded. */
export const enforceWaiting = async (deps: RegisterDeps): Promise<void> => {
  if (!deps.catalog.enabled) return
  await deps.lock(catalogLock, async () => {
    if ((await waitingNames(deps)).size === 0) return
    await deps.catalog.assertUntouched()
    await settleCatalog(deps)
    tellExchanged(deps, { suspended: [], names: [] })
  })
}
