// The entry of an approved `mcp_register`, written into the catalog file before the line of its apply.
import { type CatalogEntry, type ServerName, ServiceError } from '@gatehouse/contracts'
import type { Lock } from '../changes/lock.ts'
import type { Audience } from '../events/audience.ts'
import { tagOfEntry } from './identity.ts'
import { type Images, pinImage, unpinned } from './images.ts'
import { catalogLock } from './put.ts'
import { sealEntry, settleCatalog, type SettleDeps } from './settle.ts'
import { spell } from './spelling.ts'

export interface RegisterDeps extends SettleDeps {
  readonly images: Images
  readonly lock: Lock
  readonly audience: Audience
}

export interface Registration {
  readonly name: ServerName
  /** With its values. */
  readonly entry: CatalogEntry
}

/** Whatever its image was when it was written. */
export const isRegistered = (
  { secrets }: Pick<SettleDeps, 'secrets'>,
  { name, entry: present }: Registration,
  entry: CatalogEntry,
): boolean => tagOfEntry(secrets, name, unpinned(present)) === tagOfEntry(secrets, name, unpinned(entry))

const isTaken = (name: ServerName): ServiceError =>
  new ServiceError('conflict', {
    detail: `the name ${name} is in use in the catalog`,
    hint: 'register the tool server under another name, or remove the one that is there',
  })

/** In the database first, so that the file is healed after a kill. No line of the journal is earlier. */
const intend = ({ store, secrets }: RegisterDeps, { name, entry }: Registration): Promise<unknown> =>
  store.write((tx) =>
    tx.run(
      `INSERT INTO catalog_writes (name, seq, entry, done) VALUES (?, 0, ?, 0)
       ON CONFLICT (name) DO UPDATE SET entry = excluded.entry, done = 0`,
      [name, JSON.stringify(sealEntry(secrets, entry))],
    ),
  )

/**
 * In the file when it resolves; what is there already stays. Throws `conflict` where the name has another entry or the file
 * was changed by hand, `unavailable` where it cannot be written.
 *
 * @param mayGoOn asked at the last moment; nothing is done where it says no
 */
export const register = async (deps: RegisterDeps, registration: Registration, mayGoOn: () => boolean): Promise<void> => {
  const { name } = registration
  await deps.lock(catalogLock, async () => {
    const present = deps.catalog.item(name)
    if (present !== undefined && isRegistered(deps, present, registration.entry)) return
    if (present !== undefined) throw isTaken(name)
    const known = await spell(deps, name)
    if (known !== name) throw isTaken(known)
    await deps.catalog.assertUntouched()
    const entry = await pinImage(deps.images, registration.entry, undefined)
    if (!mayGoOn()) return
    await intend(deps, { name, entry })
    await settleCatalog(deps)
    deps.audience.broker('catalog-changed', {})
  })
}
