// The catalog as other modules of the gateway see it, with entry digests and the spelling of names.
import { type CatalogEntry, type Digest, type LocalEntry, ServerName } from '@gatehouse/contracts'
import { canonical, digestOf, sha256 } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import type { Secrets } from '../secrets.ts'

/** An entry with its values. */
export interface CatalogItem {
  readonly name: ServerName
  readonly entry: CatalogEntry
  /** Identifies the server. */
  readonly digest: Digest
  /** Identifies this version of the entry, including its values. */
  readonly tag: Digest
}

/** A file that was read but is not in use yet. */
export interface Reading {
  readonly items: readonly CatalogItem[]
  /** Puts the file in use. @param items its entries, with the names in the unit's spelling */
  adopt(items: readonly CatalogItem[]): void
}

export interface Catalog {
  /** False on a unit without tool servers. */
  readonly enabled: boolean
  item(name: ServerName): CatalogItem | undefined
  /** By name. */
  items(): readonly CatalogItem[]
  /** The reason why the file cannot be used or written, while the last valid version stays in use. */
  fault(): string | undefined
  /** Puts these entries in use, regardless of the file. */
  restore(items: readonly CatalogItem[]): void
  /** Throws `conflict` if the file differs from its last read or written version. */
  assertUntouched(): Promise<void>
  /** Reads the file again. Throws `conflict` if it cannot be used. */
  read(): Promise<Reading>
  /** Resolves when the entry is on disk. If it rejects, the entries are unchanged. */
  set(name: ServerName, entry: CatalogEntry): Promise<void>
  remove(name: ServerName): Promise<void>
}

/** The fields that identify a server: its program or URL, without its secret values. */
type Identity = Readonly<Record<string, unknown>>

/** Another image id under the same name, or other host files, make a different server. */
const localIdentity = ({ imageID, volumes = [], data = false }: LocalEntry): Identity => ({
  ...(imageID === undefined ? {} : { imageID }),
  ...(volumes.length === 0 ? {} : { volumes }),
  ...(data ? { data } : {}),
})

export const getIdentity = (entry: CatalogEntry): Identity => {
  if (entry.transport === 'http') return { transport: entry.transport, url: entry.url }
  const image = entry.image === undefined || entry.image === '' ? {} : { image: entry.image }
  return { transport: entry.transport, command: entry.command, args: entry.args, ...image, ...localIdentity(entry) }
}

export const digestOfEntry = (entry: CatalogEntry): Digest => digestOf(getIdentity(entry))

/** A keyed hash, so that values cannot be guessed from it. */
export const tagOfEntry = (secrets: Pick<Secrets, 'hmac'>, name: string, entry: CatalogEntry): Digest =>
  sha256(secrets.hmac(`catalog entry ${canonical({ name, entry })}`))

interface SpellingDeps {
  readonly store: Store
}

/**
 * The canonical spelling of a server name. Names that differ only in case are one name, spelled as it was first saved. The table
 * keeps the names of removed servers, because their grants stay.
 */
export const spell = async ({ store }: SpellingDeps, name: ServerName): Promise<ServerName> => {
  const row = await store.read.get<{ name: string }>('SELECT name FROM catalog_writes WHERE name = ? COLLATE NOCASE', [name])
  return row === undefined ? name : v.parse(ServerName, row.name)
}

/** Spells the server name in a field. An invalid name is left to the schema to refuse. */
export const spellMember = async (deps: SpellingDeps, after: unknown, member: string | undefined): Promise<unknown> => {
  if (member === undefined || typeof after !== 'object' || after === null) return after
  const name = v.safeParse(ServerName, Reflect.get(after, member))
  return name.success ? { ...after, [member]: await spell(deps, name.output) } : after
}

/** Spells the names of the entries of a file. */
export const spellItems = (deps: SpellingDeps & { readonly secrets: Secrets }, items: readonly CatalogItem[]): Promise<CatalogItem[]> =>
  Promise.all(
    items.map(async (item) => {
      const name = await spell(deps, item.name)
      return name === item.name ? item : { ...item, name, tag: tagOfEntry(deps.secrets, name, item.entry) }
    }),
  )
