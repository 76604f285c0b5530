// Whether an entry is in the state that an operator last saw.
import { type Digest, type ServerName, ServiceError } from '@gatehouse/contracts'
import type { CatalogItem } from './catalog.ts'

const shown = (tag: Digest | null | undefined): string => tag ?? 'no entry'

/** Throws `precondition-failed`. @param ifMatch undefined where any state will do, null for "there must be none" */
export const assertTag = (name: ServerName, stored: CatalogItem | undefined, ifMatch: Digest | null | undefined): void => {
  if (ifMatch === undefined || (stored?.tag ?? null) === ifMatch) return
  throw new ServiceError('precondition-failed', {
    detail: `expected the tool server ${name} as ${shown(ifMatch)}, got ${shown(stored?.tag)}`,
    hint: 'read the entry again and decide on what it is now',
  })
}
