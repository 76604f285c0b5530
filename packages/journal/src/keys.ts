// The key pair of the checkpoints: Ed25519 from a seed, its public half beside the journal.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { exits, ServiceError } from '@gatehouse/contracts'
import { ifPresent, Refusal, writeAtomically } from '@gatehouse/kernel'

/** RFC 8410: the DER of a PKCS #8 Ed25519 key up to its 32 bytes of seed. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export const signingKey = (seed: Buffer): KeyObject => {
  if (seed.length !== 32) throw new TypeError(`the seed of an Ed25519 key is 32 bytes, got ${seed.length}`)
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
}

const pemOf = (key: KeyObject): string => createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString()

const pemsIn = (text: string): string[] => text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []

const sameKey = (pem: string | undefined, own: string): boolean => pem?.trim() === own.trim()

/** Where there is none, that of epoch 1 is written. Another one there is a refusal, since old checkpoints rest on it. */
export const publishKey = async (path: string, key: KeyObject, epoch: number): Promise<void> => {
  const pem = pemOf(key)
  const found = await ifPresent(readFile(path, 'utf8'))
  if (found === undefined && epoch === 1) return writeAtomically(path, pem)
  const pems = pemsIn(found ?? '')
  if (pems.length === epoch && sameKey(pems[epoch - 1], pem)) return
  throw new Refusal(exits.configuration, {
    detail: `${path}: expected the public keys of this installation's journal, got ${found === undefined ? 'no file' : 'others'}`,
    hint: 'restore the file from a backup and find out who changed it; before the first rotation it is made anew if it is absent',
  })
}

/** The public keys of all epochs, in their order: an old one verifies what was signed in its time. */
export const publishKeys = async (path: string, seeds: readonly Buffer[]): Promise<void> => {
  const pems = seeds.map((seed) => pemOf(signingKey(seed)))
  const found = pemsIn((await ifPresent(readFile(path, 'utf8'))) ?? '')
  if (found.length > pems.length || !found.every((pem, index) => sameKey(pem, pems[index] ?? '')))
    throw new Refusal(exits.configuration, {
      detail: `${path}: expected the public keys of this installation's journal, got others`,
      hint: 'restore the file from a backup and find out who changed it',
    })
  if (found.length < pems.length) await writeAtomically(path, pems.join(''))
}

/** By epoch, the first at 0. Throws a `ServiceError` for a file that cannot be read or holds none. */
export const loadPublicKeys = async (path: string): Promise<readonly KeyObject[]> => {
  try {
    const keys = pemsIn(await readFile(path, 'utf8')).map((pem) => createPublicKey(pem))
    if (keys.length > 0) return keys
    throw new TypeError('it holds no public key')
  } catch (cause) {
    throw new ServiceError('not-found', {
      detail: `${path}: expected the public keys of a journal in PEM`,
      hint: 'name journal.pub of the state directory',
      cause,
    })
  }
}
