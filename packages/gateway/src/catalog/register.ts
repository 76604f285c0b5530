// Registers the tool server of an approved `mcp_register`: prepared before the journal record of its apply, in force after it.
import { type CatalogEntry, type Change, kinds, type ServerName, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type Sealed, type Secrets, throughValues } from '../secrets.ts'
import { spell } from '../state/catalog.ts'
import { unitLocks } from '../state/lock.ts'
import { askedByAgent } from '../state/unit-config.ts'
import { type Images, pinImage } from './images.ts'
import { type CatalogDeps, tellExchanged } from './servers.ts'
import { sealEntry, settleCatalog, type SettleDeps, waitingNames } from './settle.ts'

export interface RegisterDeps extends SettleDeps, Pick<CatalogDeps, 'lock' | 'subscribers' | 'drift'> {
  readonly images: Images
}

interface Registration {
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
  await deps.lock(unitLocks.catalog, async () => {
    if ((await waitingNames(deps)).size === 0) return
    await deps.catalog.assertUntouched()
    await settleCatalog(deps)
    tellExchanged(deps, { suspended: [], names: [] })
  })
}

/** Undefined for another kind of change. */
export const registered = (change: Pick<Change, 'kind' | 'after' | 'principal'>, { unseal }: Secrets): Registration | undefined => {
  if (change.kind !== 'mcp_register') return undefined
  const { name, ...entry } = v.parse(kinds.mcp_register.schema, throughValues(change.after, unseal))
  // What an agent proposed is never a way into the house; an operator may say otherwise by writing the entry anew.
  const isConfined = entry.transport === 'http' && askedByAgent({ asker: change.principal })
  return { name, entry: isConfined ? { ...entry, reach: 'public' } : entry }
}
