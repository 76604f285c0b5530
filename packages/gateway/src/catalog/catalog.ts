// The catalog as everybody else in the gateway knows it, whether the unit has one or not.
import type { CatalogEntry, Digest, ServerName } from '@gatehouse/contracts'

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
  /** @param items those of the file, under the names that the unit knows them by */
  adopt(items: readonly CatalogItem[]): void
}

export interface Catalog {
  /** False on a unit without tool servers. */
  readonly enabled: boolean
  item(name: ServerName): CatalogItem | undefined
  /** By name. */
  items(): readonly CatalogItem[]
  /** Why the file cannot be used or written, while the last good one stays in force. */
  fault(): string | undefined
  /** Puts these in force, whatever the file says: what the journal knows, or the file's own under the names that the unit knows. */
  recall(items: readonly CatalogItem[]): void
  /** Throws `conflict` where the file is not as it was last read or written. */
  assertUntouched(): Promise<void>
  /** Reads the file again. Throws `conflict` where it cannot be used. */
  read(): Promise<Reading>
  /** On disk when it resolves; if it rejects, the entries are what they were. */
  set(name: ServerName, entry: CatalogEntry): Promise<void>
  remove(name: ServerName): Promise<void>
}
