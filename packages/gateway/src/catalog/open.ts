// The catalog of this unit, whether there is a file or not.
import type { CatalogEntry } from '@gatehouse/contracts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Catalog } from './catalog.ts'
import { loadCatalog } from './load.ts'
import { CatalogOnDisk, createCatalog } from './on-disk.ts'

export interface CatalogOptions {
  /** Null on a unit without tool servers. */
  readonly path: string | null
  /** What a new file holds. */
  readonly initial: Readonly<Record<string, CatalogEntry>>
  readonly secrets: Pick<Secrets, 'hmac'>
  /** The unit was running with this catalog: a file that cannot be used now is a fault, no refusal. */
  readonly restarted?: boolean | undefined
}

const none: Catalog = {
  enabled: false,
  item: () => undefined,
  items: () => [],
  fault: () => undefined,
  recall: () => undefined,
  assertUntouched: () => Promise.resolve(),
  read: () => Promise.reject(new TypeError('a unit without tool servers has no catalog to read')),
  set: () => Promise.reject(new TypeError('a unit without tool servers has no catalog to write')),
  remove: () => Promise.reject(new TypeError('a unit without tool servers has no catalog to write')),
}

/** Throws a `Refusal` that names the field or the chmod. */
export const openCatalog = async ({ path, initial, secrets, restarted }: CatalogOptions): Promise<Catalog> => {
  if (path === null) return none
  if (restarted === true) return CatalogOnDisk.again({ path, secrets })
  return new CatalogOnDisk({ path, secrets }, (await loadCatalog(path)) ?? (await createCatalog(path, initial)))
}
