// Encrypts and decrypts archives with age, for recipients or with a passphrase.
import { readFile } from 'node:fs/promises'
import { ReadableStream } from 'node:stream/web'
import { exits, ServiceError } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { Decrypter, Encrypter } from 'age-encryption'
import { broken } from './entry.ts'

/** Who can decrypt an archive. */
export type Cover = { readonly recipients: readonly string[] } | { readonly passphrase: string }

/** The secrets to try for decryption. */
export interface Opener {
  readonly identities: readonly string[]
  readonly passphrase?: string | undefined
}

/** Each guess takes 64 MiB and some tenths of a second. */
const workFactor = 16

const invalid = (detail: string, hint: string, cause?: unknown): ServiceError => new ServiceError('invalid', { detail, hint, cause })

const toWeb = (chunks: AsyncIterable<Uint8Array>): globalThis.ReadableStream<Uint8Array> => ReadableStream.from(chunks)

/** Rejects with `invalid` for an invalid recipient. */
export const encrypt = async (plain: AsyncIterable<Uint8Array>, cover: Cover): Promise<AsyncIterable<Uint8Array>> => {
  const encrypter = new Encrypter()
  if ('passphrase' in cover) {
    encrypter.setScryptWorkFactor(workFactor)
    encrypter.setPassphrase(cover.passphrase)
  } else for (const recipient of cover.recipients) addRecipient(encrypter, recipient)
  return encrypter.encrypt(toWeb(plain))
}

const addRecipient = (encrypter: Encrypter, recipient: string): void => {
  try {
    encrypter.addRecipient(recipient)
  } catch (error) {
    throw invalid(
      `invalid recipient ${JSON.stringify(recipient)}: a recipient looks like age1…`,
      'create one with: age-keygen -o key.txt',
      error,
    )
  }
}

/** Throws `invalid` for an invalid recipient. */
export const checkRecipients = (recipients: readonly string[]): void => {
  for (const recipient of recipients) addRecipient(new Encrypter(), recipient)
}

/** Rejects with a `Refusal` where no secret decrypts the archive, or where it is not an age file. */
export const decrypt = async (sealed: AsyncIterable<Uint8Array>, opener: Opener): Promise<AsyncIterable<Uint8Array>> => {
  const decrypter = new Decrypter()
  for (const identity of opener.identities) decrypter.addIdentity(identity)
  if (opener.passphrase !== undefined) decrypter.addPassphrase(opener.passphrase)
  try {
    return await decrypter.decrypt(toWeb(sealed))
  } catch (error) {
    throw toDecryptRefusal(error)
  }
}

const toDecryptRefusal = (error: unknown): Refusal => {
  const message = error instanceof Error ? error.message : String(error)
  if (/no identity matched|incorrect passphrase|passphrase/i.test(message))
    return broken(
      'none of the given identities or passphrases decrypts it',
      'pass the identity file of one of its recipients: --identity FILE',
      error,
    )
  return broken(`it is not a complete age file (${message})`, 'pass the complete, unchanged file that svcctl backup wrote', error)
}

/** Reads the identities in a file. Rejects with `Refusal` 78 for a file without identities or with other content. */
export const readIdentities = async (path: string): Promise<string[]> => {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim())
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'))
  for (const identity of identities) checkIdentity(path, identity)
  if (identities.length > 0) return identities
  throw new Refusal(exits.configuration, { detail: `${path}: no line begins with AGE-SECRET-KEY-` })
}

const checkIdentity = (path: string, identity: string): void => {
  try {
    new Decrypter().addIdentity(identity)
  } catch {
    // The error of the library may quote the text, which is a secret.
    throw new Refusal(exits.configuration, { detail: `${path}: a line is not a valid AGE-SECRET-KEY-` })
  }
}
