// The catalog: a JSON file that the gateway writes, 0600, and that an operator may edit between two reloads.
import { type CatalogEntry, type Digest, ServerName, ServiceError } from '@gatehouse/contracts'
import { isRefusal, sha256, writeAtomically } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Secrets } from '../secrets/secrets.ts'
import { digestOfEntry, tagOfEntry } from './identity.ts'
import { codeOf, type Entries, fileDigest, loadCatalog, refuse } from './load.ts'

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

type Items = ReadonlyMap<string, CatalogItem>

const byName = <T>([a]: readonly [string, T], [b]: readonly [string, T]): number => (a < b ? -1 : 1)

const textOf = (entries: Entries): string => `${JSON.stringify(Object.fromEntries([...entries].toSorted(byName)), null, 2)}\n`

const itemsOf = (entries: Entries, secrets: CatalogOptions['secrets']): Items =>
  new Map(
    [...entries]
      .toSorted(byName)
      .map(([name, entry]) => [name, { name, entry, digest: digestOfEntry(entry), tag: tagOfEntry(secrets, name, entry) }] as const),
  )

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

const create = async (path: string, initial: CatalogOptions['initial']): Promise<{ entries: Entries; digest: string }> => {
  const entries: Entries = new Map(Object.entries(initial).map(([name, entry]) => [v.parse(ServerName, name), entry]))
  try {
    await writeAtomically(path, textOf(entries))
    return { entries, digest: sha256(textOf(entries)) }
  } catch (error) {
    throw refuse(`the catalog file ${path} cannot be made (${codeOf(error)})`, 'make its directory, and let this user write to it', error)
  }
}

const unwritable = (path: string, error: unknown): ServiceError =>
  new ServiceError('unavailable', {
    detail: `the catalog file ${path} cannot be written (${codeOf(error)})`,
    hint: 'let this user write to its directory, and free disk space',
    cause: error,
  })

const unusable = (error: unknown): ServiceError => {
  if (!isRefusal(error)) throw error
  return new ServiceError('conflict', { detail: error.detail, hint: error.hint, cause: error })
}

const touched = (path: string): ServiceError =>
  new ServiceError('conflict', {
    detail: `the catalog file ${path} was changed by hand since it was last read`,
    hint: 'reload the catalog first, so that nothing of it is lost',
  })

/** Throws a `Refusal` that names the field or the chmod. */
export const openCatalog = async ({ path, initial, secrets }: CatalogOptions): Promise<Catalog> => {
  if (path === null) return none
  let { entries, digest } = (await loadCatalog(path)) ?? (await create(path, initial))
  let items = itemsOf(entries, secrets)
  let fault: string | undefined
  const adopt = (next: { entries: Entries; digest: string }): void => {
    ;({ entries, digest } = next)
    items = itemsOf(entries, secrets)
    fault = undefined
  }
  const load = async () => {
    const loaded = await loadCatalog(path)
    if (loaded !== undefined) return loaded
    throw refuse(`expected the catalog file ${path}, got none`, 'put it back; an empty catalog is {}')
  }
  const replace = async (next: Entries): Promise<void> => {
    await writeAtomically(path, textOf(next)).catch((error: unknown) => {
      throw unwritable(path, error)
    })
    adopt({ entries: next, digest: sha256(textOf(next)) })
  }
  return {
    enabled: true,
    get: (name) => items.get(name)?.entry,
    item: (name) => items.get(name),
    items: () => [...items.values()],
    names: () => [...items.values()].map(({ name }) => name),
    fault: () => fault,
    assertUntouched: async () => {
      if ((await fileDigest(path)) !== digest) throw touched(path)
    },
    read: async () => {
      const loaded = await load().catch((error: unknown) => {
        const reason = unusable(error)
        fault = reason.detail
        throw reason
      })
      return { items: [...itemsOf(loaded.entries, secrets).values()], adopt: () => adopt(loaded) }
    },
    set: (name, entry) => replace(new Map([...entries, [name, entry]])),
    remove: (name) => replace(new Map([...entries].filter(([key]) => key !== name))),
  }
}
