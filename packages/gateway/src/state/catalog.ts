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

/** What makes a catalog entry the server that it is: where it runs or lies, not what it is given to know. */
type Identity = Readonly<Record<string, unknown>>

/** Another image of the same name, or other files of the host, make another server. */
const given = ({ imageID, volumes = [], data = false }: LocalEntry): Identity => ({
  ...(imageID === undefined ? {} : { imageID }),
  ...(volumes.length === 0 ? {} : { volumes }),
  ...(data ? { data } : {}),
})

export const identityOf = (entry: CatalogEntry): Identity => {
  if (entry.transport === 'http') return { transport: entry.transport, url: entry.url }
  const image = entry.image === undefined || entry.image === '' ? {} : { image: entry.image }
  return { transport: entry.transport, command: entry.command, args: entry.args, ...image, ...given(entry) }
}

export const digestOfEntry = (entry: CatalogEntry): Digest => digestOf(identityOf(entry))

/** Without the key nobody can try values against it. */
export const tagOfEntry = (secrets: Pick<Secrets, 'hmac'>, name: string, entry: CatalogEntry): Digest =>
  sha256(secrets.hmac(`catalog entry ${canonical({ name, entry })}`))

/** The spelling of a tool server's name. Names that differ by case alone are one name, spelled as it was first saved. */
interface SpellingDeps {
  readonly store: Store
}

/** A name that was never saved stays as it is. The table keeps the names of removed servers too, since their grants stay. */
export const spell = async ({ store }: SpellingDeps, name: ServerName): Promise<ServerName> => {
  const row = await store.read.get<{ name: string }>('SELECT name FROM catalog_writes WHERE name = ? COLLATE NOCASE', [name])
  return row === undefined ? name : v.parse(ServerName, row.name)
}

/** What is no name of a server is left to the schema to refuse. */
export const spellMember = async (deps: SpellingDeps, after: unknown, member: string | undefined): Promise<unknown> => {
  if (member === undefined || typeof after !== 'object' || after === null) return after
  const name = v.safeParse(ServerName, Reflect.get(after, member))
  return name.success ? { ...after, [member]: await spell(deps, name.output) } : after
}

/** As a file has them. */
export const spellItems = (deps: SpellingDeps & { readonly secrets: Secrets }, items: readonly CatalogItem[]): Promise<CatalogItem[]> =>
  Promise.all(
    items.map(async (item) => {
      const name = await spell(deps, item.name)
      return name === item.name ? item : { ...item, name, tag: tagOfEntry(deps.secrets, name, item.entry) }
    }),
  )
