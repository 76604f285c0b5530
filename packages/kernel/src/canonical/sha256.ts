// SHA-256 as lower-case hex, the one digest of the house.
import { hash } from 'node:crypto'

/** A string is hashed as UTF-8. */
export const sha256 = (data: string | Uint8Array): string => hash('sha256', data, 'hex')
