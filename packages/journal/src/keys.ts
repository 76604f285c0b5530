// The Ed25519 key pair of checkpoints, derived from a seed. The public key is stored beside the journal.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { exits, ServiceError } from '@gatehouse/contracts'
import { ifPresent, Refusal, writeAtomically } from '@gatehouse/kernel'

/** RFC 8410: the DER prefix of a PKCS #8 Ed25519 key, before its 32 bytes of seed. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export const signingKey = (seed: Buffer): KeyObject => {
  if (seed.length !== 32) throw new TypeError(`the seed of an Ed25519 key is 32 bytes, got ${seed.length}`)
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
}

const toPem = (key: KeyObject): string => createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString()

const parsePems = (text: string): string[] => text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? []

const sameKey = (pem: string | undefined, own: string): boolean => pem?.trim() === own.trim()

/** Writes the key of epoch 1 if the file is missing. Rejects with `Refusal` for other keys: old checkpoints depend on the file. */
export const publishKey = async (path: string, key: KeyObject, epoch: number): Promise<void> => {
  const pem = toPem(key)
  const found = await ifPresent(readFile(path, 'utf8'))
  if (found === undefined && epoch === 1) return writeAtomically(path, pem)
  const pems = parsePems(found ?? '')
  if (pems.length === epoch && sameKey(pems[epoch - 1], pem)) return
  throw new Refusal(exits.configuration, {
    detail: `${path}: ${found === undefined ? 'the file is missing' : 'the file has the public keys of another journal'}`,
    hint: 'restore the file from a backup and find out who changed it; before the first key rotation a missing file is created again',
  })
}

/** Writes the public keys of all epochs in order; each verifies the checkpoints of its epoch. Rejects with `Refusal` for other keys. */
export const publishKeys = async (path: string, seeds: readonly Buffer[]): Promise<void> => {
  const pems = seeds.map((seed) => toPem(signingKey(seed)))
  const found = parsePems((await ifPresent(readFile(path, 'utf8'))) ?? '')
  if (found.length > pems.length || !found.every((pem, index) => sameKey(pem, pems[index] ?? '')))
    throw new Refusal(exits.configuration, {
      detail: `${path}: the file has the public keys of another journal`,
      hint: 'restore the file from a backup and find out who changed it',
    })
  if (found.length < pems.length) await writeAtomically(path, pems.join(''))
}

/** Public keys by epoch, the first at index 0. Rejects with a `ServiceError` for a file that cannot be read or contains no key. */
export const loadPublicKeys = async (path: string): Promise<readonly KeyObject[]> => {
  try {
    const keys = parsePems(await readFile(path, 'utf8')).map((pem) => createPublicKey(pem))
    if (keys.length > 0) return keys
    throw new TypeError('the file contains no public key')
  } catch (cause) {
    throw new ServiceError('not-found', {
      detail: `${path}: cannot read public keys in PEM`,
      hint: 'name journal.pub of the state directory',
      cause,
    })
  }
}
