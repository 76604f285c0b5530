// One key per purpose from the master key of an epoch.
import { hkdfSync } from 'node:crypto'

/** HKDF-SHA256 (RFC 5869), 32 bytes: the purpose is the info, the epoch the salt. */
export const deriveKey = (master: Buffer, purpose: string, epoch = 1): Buffer =>
  Buffer.from(hkdfSync('sha256', master, `gatehouse epoch ${epoch}`, `gatehouse ${purpose}`, 32))
