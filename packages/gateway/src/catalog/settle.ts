// Brings the catalog file up to date with the journal, right after a record and after a crash or a full disk in between.
import { CatalogEntry, ServerName } from '@gatehouse/contracts'
import type { Store, Transaction } from '@gatehouse/store'
import * as v from 'valibot'
import { Sealed, type Secrets, mapSecretValues } from '../secrets.ts'
import { type Catalog, tagOfEntry } from '../state/catalog.ts'

export interface SettleDeps {
  readonly catalog: Catalog
  readonly store: Store
  readonly secrets: Secrets
}

interface WriteRow {
  readonly name: string
  readonly seq: number
  readonly entry: string | null
}

export const sealEntry = (secrets: Secrets, entry: CatalogEntry): Sealed => mapSecretValues(entry, secrets.seal)

/** Throws if another key sealed the values. */
export const unsealEntry = (secrets: Secrets, sealed: Sealed): CatalogEntry =>
  v.parse(CatalogEntry, mapSecretValues(sealed, secrets.unseal))

interface Write {
  readonly name: string
  readonly entry: Sealed | null
  /** Whether the file already holds it. */
  readonly done: boolean
}

/** Stores the entry that the file must hold. A record that is applied twice has no further effect. */
export const storeWrite = async (tx: Transaction, seq: number, { name, entry, done }: Write): Promise<void> => {
  await tx.run(
    `INSERT INTO catalog_writes (name, seq, entry, done) VALUES (?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, entry = excluded.entry, done = excluded.done
     WHERE excluded.seq > catalog_writes.seq`,
    [name, seq, entry === null ? null : JSON.stringify(entry), done ? 1 : 0],
  )
}

const write = async ({ catalog, secrets }: SettleDeps, name: ServerName, sealed: string | null): Promise<void> => {
  if (sealed === null) {
    if (catalog.item(name) !== undefined) await catalog.remove(name)
    return
  }
  const entry = unsealEntry(secrets, v.parse(Sealed, JSON.parse(sealed)))
  if (catalog.item(name)?.tag !== tagOfEntry(secrets, name, entry)) await catalog.set(name, entry)
}

/** Names of entries that are not yet written to the file or removed from it. */
export const readPendingNames = async ({ store }: Pick<SettleDeps, 'store'>): Promise<ReadonlySet<string>> =>
  new Set((await store.read.all<Pick<WriteRow, 'name'>>('SELECT name FROM catalog_writes WHERE done = 0')).map(({ name }) => name))

/** Writes pending entries, under the lock of the catalog. Rejects with `unavailable` if the file cannot be written. */
export const settleCatalog = async (deps: SettleDeps): Promise<void> => {
  const pending = await deps.store.read.all<WriteRow>('SELECT name, seq, entry FROM catalog_writes WHERE done = 0 ORDER BY seq')
  for (const { name, seq, entry } of pending) {
    await write(deps, v.parse(ServerName, name), entry)
    await deps.store.write((tx) => tx.run('UPDATE catalog_writes SET done = 1 WHERE name = ? AND seq = ?', [name, seq]))
  }
}
