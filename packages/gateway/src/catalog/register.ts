// The entry of an approved `mcp_register`, written into the catalog file before the line of its apply.
import { type CatalogEntry, type ServerName, ServiceError } from '@gatehouse/contracts'
import type { Lock } from '../changes/lock.ts'
import type { Audience } from '../events/audience.ts'
import { tagOfEntry } from './identity.ts'
import { catalogLock } from './put.ts'
import { sealEntry, settleCatalog, type SettleDeps } from './settle.ts'

export interface RegisterDeps extends SettleDeps {
  readonly lock: Lock
  readonly audience: Audience
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
  const { name, entry } = registration
  await deps.lock(catalogLock, async () => {
    const present = deps.catalog.item(name)
    if (present?.tag === tagOfEntry(deps.secrets, name, entry)) return
    if (present !== undefined) throw isTaken(name)
    await deps.catalog.assertUntouched()
    if (!mayGoOn()) return
    await intend(deps, registration)
    await settleCatalog(deps)
    deps.audience.broker('catalog-changed', {})
  })
}
