// The catalog as everybody else in the gateway knows it, whether the unit has one or not.
import type { CatalogEntry, Digest, ServerName } from '@gatehouse/contracts'
import type { Secrets } from '../secrets/secrets.ts'
import { loadCatalog } from './load.ts'
import { CatalogOnDisk, createCatalog } from './on-disk.ts'

/** An entry with its values. */
export interface CatalogItem {
  readonly name: ServerName
  readonly entry: CatalogEntry
  /** Tells one server from another. */
  readonly digest: Digest
  /** Tells one state of the entry from the next, values included. */
  readonly tag: Digest
}

/** A file that was read and is not in force yet. */
export interface Reading {
  readonly items: readonly CatalogItem[]
  adopt(): void
}

export interface Catalog {
  /** False on a unit without tool servers. */
  readonly enabled: boolean
  get(name: ServerName): CatalogEntry | undefined
  item(name: ServerName): CatalogItem | undefined
  /** By name. */
  items(): readonly CatalogItem[]
  names(): ServerName[]
  /** Why the file cannot be used, while the last good one stays in force. */
  fault(): string | undefined
  /** Throws `conflict` where the file is not as it was last read or written. */
  assertUntouched(): Promise<void>
  /** Reads the file again. Throws `conflict` where it cannot be used. */
  read(): Promise<Reading>
  /** On disk when it resolves; if it rejects, the entries are what they were. */
  set(name: ServerName, entry: CatalogEntry): Promise<void>
  remove(name: ServerName): Promise<void>
}

export interface CatalogOptions {
  /** Null on a unit without tool servers. */
  readonly path: string | null
  /** What a new file holds. */
  readonly initial: Readonly<Record<string, CatalogEntry>>
  readonly secrets: Pick<Secrets, 'hmac'>
}

const none: Catalog = {
  enabled: false,
  get: () => undefined,
  item: () => undefined,
  items: () => [],
  names: () => [],
  fault: () => undefined,
  assertUntouched: () => Promise.resolve(),
  read: () => Promise.reject(new TypeError('a unit without tool servers has no catalog to read')),
  set: () => Promise.reject(new TypeError('a unit without tool servers has no catalog to write')),
  remove: () => Promise.reject(new TypeError('a unit without tool servers has no catalog to write')),
}

/** Throws a `Refusal` that names the field or the chmod. */
export const openCatalog = async ({ path, initial, secrets }: CatalogOptions): Promise<Catalog> => {
  if (path === null) return none
  return new CatalogOnDisk({ path, secrets }, (await loadCatalog(path)) ?? (await createCatalog(path, initial)))
}
