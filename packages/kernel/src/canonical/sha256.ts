// SHA-256 as lower-case hex, the one digest of the house.
import { hash } from 'node:crypto'
import type { Digest } from '@gatehouse/contracts'

/** A string is hashed as UTF-8. */
export const sha256 = (data: string | Uint8Array): Digest => hash('sha256', data, 'hex') as Digest
