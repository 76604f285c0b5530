// The catalog on disk: a JSON file with mode 0600 that the gateway writes and an operator may edit between two reloads.
import { type CatalogEntry, ServerName, ServiceError } from '@gatehouse/contracts'
import { isRefusal, sha256, writeAtomically } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Secrets } from '../secrets.ts'
import { type Catalog, type CatalogItem, digestOfEntry, type Reading, tagOfEntry } from '../state/catalog.ts'
import { getErrorCode, type Entries, fileDigest, loadCatalog, type Loaded, refuse } from './load.ts'

type Items = ReadonlyMap<string, CatalogItem>
type Hasher = Pick<Secrets, 'hmac'>

const byName = <T>([a]: readonly [string, T], [b]: readonly [string, T]): number => (a < b ? -1 : 1)

const serialize = (entries: Entries): string => `${JSON.stringify(Object.fromEntries([...entries].toSorted(byName)), null, 2)}\n`

const toItems = (entries: Entries, secrets: Hasher): Items =>
  new Map(
    [...entries]
      .toSorted(byName)
      .map(([name, entry]) => [name, { name, entry, digest: digestOfEntry(entry), tag: tagOfEntry(secrets, name, entry) }] as const),
  )

const toEntries = (items: readonly CatalogItem[]): Entries => new Map(items.map(({ name, entry }) => [name, entry]))

/** Creates a catalog file where there is none. */
const createCatalog = async (path: string, initial: Readonly<Record<string, CatalogEntry>>): Promise<Loaded> => {
  const entries: Entries = new Map(Object.entries(initial).map(([name, entry]) => [v.parse(ServerName, name), entry]))
  try {
    await writeAtomically(path, serialize(entries))
    return { entries, digest: sha256(serialize(entries)) }
  } catch (error) {
    throw refuse(
      `cannot create the catalog file ${path} (${getErrorCode(error)})`,
      'create its directory, and let this user write to it',
      error,
    )
  }
}

const unwritable = (path: string, error: unknown): ServiceError =>
  new ServiceError('unavailable', {
    detail: `cannot write the catalog file ${path} (${getErrorCode(error)})`,
    hint: 'let this user write to its directory, or free disk space',
    cause: error,
  })

const unreadable = (path: string, error: unknown): ServiceError =>
  new ServiceError('unavailable', {
    detail: `cannot read the catalog file ${path} (${getErrorCode(error)})`,
    hint: 'let this user read it, or check the kernel log for disk errors',
    cause: error,
  })

const unusable = (path: string, error: unknown): ServiceError =>
  isRefusal(error) ? new ServiceError('conflict', { detail: error.detail, hint: error.hint, cause: error }) : unreadable(path, error)

const touched = (path: string): ServiceError =>
  new ServiceError('conflict', {
    detail: `the catalog file ${path} was changed by hand since it was last read`,
    hint: 'reload the catalog first, so that no edit is lost',
  })

const load = async (path: string): Promise<Loaded> => {
  const loaded = await loadCatalog(path)
  if (loaded !== undefined) return loaded
  throw refuse(`the catalog file ${path} is missing`, 'restore it; an empty catalog is {}')
}

class CatalogOnDisk implements Catalog {
  readonly enabled = true
  readonly #path: string
  readonly #secrets: Hasher
  #entries: Entries
  /** Digest of the file as it was last read or written. */
  #digest: string
  /** Digest of a failed write, which may have replaced the file before the disk failed. */
  #tried: string | undefined
  #items: Items
  #fault: string | undefined

  constructor({ path, secrets }: { path: string; secrets: Hasher }, { entries, digest }: Loaded) {
    this.#path = path
    this.#secrets = secrets
    this.#entries = entries
    this.#digest = digest
    this.#items = toItems(entries, secrets)
  }

  /** Opens the catalog in a restarted process: empty and faulty if the file cannot be used. */
  static async reopen(options: { path: string; secrets: Hasher }): Promise<CatalogOnDisk> {
    const catalog = new CatalogOnDisk(options, { entries: new Map(), digest: '' })
    const reading = await catalog.read().catch(() => undefined)
    reading?.adopt(reading.items)
    return catalog
  }

  item(name: ServerName): CatalogItem | undefined {
    return this.#items.get(name)
  }

  items(): readonly CatalogItem[] {
    return [...this.#items.values()]
  }

  fault(): string | undefined {
    return this.#fault
  }

  async assertUntouched(): Promise<void> {
    const digest = await fileDigest(this.#path).catch((error: unknown) => {
      throw unreadable(this.#path, error)
    })
    if (digest === undefined || (digest !== this.#digest && digest !== this.#tried)) throw touched(this.#path)
  }

  restore(items: readonly CatalogItem[]): void {
    this.#entries = toEntries(items)
    this.#items = toItems(this.#entries, this.#secrets)
  }

  async read(): Promise<Reading> {
    const loaded = await load(this.#path).catch((error: unknown) => {
      const reason = unusable(this.#path, error)
      this.#fault = reason.detail
      throw reason
    })
    const adopt = (items: readonly CatalogItem[]): void => this.#adopt({ ...loaded, entries: toEntries(items) })
    return { items: [...toItems(loaded.entries, this.#secrets).values()], adopt }
  }

  set(name: ServerName, entry: CatalogEntry): Promise<void> {
    return this.#replace(new Map([...this.#entries, [name, entry]]))
  }

  remove(name: ServerName): Promise<void> {
    return this.#replace(new Map([...this.#entries].filter(([key]) => key !== name)))
  }

  async #replace(entries: Entries): Promise<void> {
    const text = serialize(entries)
    await writeAtomically(this.#path, text).catch((error: unknown) => {
      const reason = unwritable(this.#path, error)
      this.#tried = sha256(text)
      this.#fault = reason.detail
      throw reason
    })
    this.#adopt({ entries, digest: sha256(text) })
  }

  #adopt({ entries, digest }: Loaded): void {
    this.#entries = entries
    this.#digest = digest
    this.#tried = undefined
    this.#items = toItems(entries, this.#secrets)
    this.#fault = undefined
  }
}

export interface CatalogOptions {
  /** Null on a unit without tool servers. */
  readonly path: string | null
  /** The entries of a new file. */
  readonly initial: Readonly<Record<string, CatalogEntry>>
  readonly secrets: Pick<Secrets, 'hmac'>
  /** Whether the unit was already running with this catalog. An unusable file is then a fault instead of a refusal. */
  readonly restarted?: boolean | undefined
}

const none: Catalog = {
  enabled: false,
  item: () => undefined,
  items: () => [],
  fault: () => undefined,
  restore: () => undefined,
  assertUntouched: () => Promise.resolve(),
  read: () => Promise.reject(new TypeError('a unit without tool servers has no catalog to read')),
  set: () => Promise.reject(new TypeError('a unit without tool servers has no catalog to write')),
  remove: () => Promise.reject(new TypeError('a unit without tool servers has no catalog to write')),
}

/** Throws a `Refusal` that names the field or the chmod. */
export const openCatalog = async ({ path, initial, secrets, restarted }: CatalogOptions): Promise<Catalog> => {
  if (path === null) return none
  if (restarted === true) return CatalogOnDisk.reopen({ path, secrets })
  return new CatalogOnDisk({ path, secrets }, (await loadCatalog(path)) ?? (await createCatalog(path, initial)))
}
