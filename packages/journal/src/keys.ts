// The key pair of the checkpoints: Ed25519 from a seed, its public half beside the journal.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { exits, ServiceError } from '@gatehouse/contracts'
import { Refusal, writeAtomically } from '@gatehouse/kernel'

/** RFC 8410: the DER of a PKCS #8 Ed25519 key up to its 32 bytes of seed. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export const signingKey = (seed: Buffer): KeyObject => {
  if (seed.length !== 32) throw new TypeError(`the seed of an Ed25519 key is 32 bytes, got ${seed.length}`)
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
}

const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** Writes the public key where there is none; another one there is a refusal, since old checkpoints rest on it. */
export const publishKey = async (path: string, key: KeyObject): Promise<void> => {
  const pem = createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString()
  const found = await readIfThere(path)
  if (found === undefined) return writeAtomically(path, pem)
  if (found.trim() === pem.trim()) return
  throw new Refusal(exits.configuration, {
    detail: `${path}: expected the public key of this installation's journal, got another`,
    hint: 'restore the file from a backup and find out who changed it; it is made anew if it is absent',
  })
}

/** Throws a `ServiceError` for a file that cannot be read or is no key. */
export const loadPublicKey = async (path: string): Promise<KeyObject> => {
  try {
    return createPublicKey(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new ServiceError('not-found', {
      detail: `${path}: expected the public key of a journal in PEM`,
      hint: 'name journal.pub of the state directory',
      cause,
    })
  }
}
