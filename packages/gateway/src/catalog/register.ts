// Registers the tool server of an approved `mcp_register`: prepared before the journal record of its apply, in force after it.
import { type CatalogEntry, type Change, kinds, type ServerName, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type Sealed, type Secrets, mapSecretValues } from '../secrets.ts'
import { spell } from '../state/catalog.ts'
import { unitLocks } from '../state/lock.ts'
import { isRequestedByAgent } from '../state/unit-config.ts'
import { type Images, pinImage } from './images.ts'
import { type CatalogDeps, publishReplaced } from './servers.ts'
import { sealEntry, settleCatalog, type SettleDeps, readPendingNames } from './settle.ts'

export interface RegisterDeps extends SettleDeps, Pick<CatalogDeps, 'lock' | 'subscribers' | 'drift'> {
  readonly images: Images
}

interface Registration {
  readonly name: ServerName
  /** The entry with its values. */
  readonly entry: CatalogEntry
}

const nameTaken = (name: ServerName): ServiceError =>
  new ServiceError('conflict', {
    detail: `the name ${name} is already in use in the catalog`,
    hint: 'register the tool server under another name, or remove the one that is there',
  })

/**
 * Prepares the entry for the journal and the file. Throws `conflict` if its name is taken or the file was edited, `unavailable`
 * if the file cannot be written. The caller holds the lock of the catalog until the record is written.
 */
export const prepareEntry = async (deps: RegisterDeps, { name, entry }: Registration): Promise<Sealed> => {
  await deps.catalog.assertUntouched()
  await settleCatalog(deps)
  const known = await spell(deps, name)
  if (known !== name || deps.catalog.item(name) !== undefined) throw nameTaken(known)
  return sealEntry(deps.secrets, await pinImage(deps.images, entry, undefined))
}

/** Writes the entry after its record, under the lock of the catalog. Throws `unavailable` if the file cannot be written. */
export const enforceEntry = async (deps: RegisterDeps, name: ServerName): Promise<void> => {
  await settleCatalog(deps)
  publishReplaced(deps, { suspended: [], names: [name] })
}

/** Writes entries that could not be written after their records. An edited file gets them when it is reloaded. */
export const enforcePending = async (deps: RegisterDeps): Promise<void> => {
  if (!deps.catalog.enabled) return
  await deps.lock(unitLocks.catalog, async () => {
    if ((await readPendingNames(deps)).size === 0) return
    await deps.catalog.assertUntouched()
    await settleCatalog(deps)
    publishReplaced(deps, { suspended: [], names: [] })
  })
}

/** The registration of a change; undefined for other kinds. */
export const getRegistration = (change: Pick<Change, 'kind' | 'after' | 'principal'>, { unseal }: Secrets): Registration | undefined => {
  if (change.kind !== 'mcp_register') return undefined
  const { name, ...entry } = v.parse(kinds.mcp_register.schema, mapSecretValues(change.after, unseal))
  // A server that an agent proposed must not reach private networks. An operator can allow it by replacing the entry.
  const isConfined = entry.transport === 'http' && isRequestedByAgent({ requester: change.principal })
  return { name, entry: isConfined ? { ...entry, reach: 'public' } : entry }
}
