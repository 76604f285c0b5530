// The cover of an archive: an age stream to recipients or under a passphrase.
import { readFile } from 'node:fs/promises'
import { ReadableStream } from 'node:stream/web'
import { exits, ServiceError } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { Decrypter, Encrypter } from 'age-encryption'
import { broken } from './entry.ts'

/** Who may open an archive. */
export type Cover = { readonly recipients: readonly string[] } | { readonly passphrase: string }

/** What opens one. */
export interface Opener {
  readonly identities: readonly string[]
  readonly passphrase?: string | undefined
}

/** 64 MiB and some tenths of a second for each guess. */
const workFactor = 16

const invalid = (detail: string, hint: string, cause?: unknown): ServiceError => new ServiceError('invalid', { detail, hint, cause })

const toWeb = (chunks: AsyncIterable<Uint8Array>): globalThis.ReadableStream<Uint8Array> => ReadableStream.from(chunks)

/** Throws `invalid` for a recipient that is none. */
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
    throw invalid(`expected a recipient such as age1…, got ${JSON.stringify(recipient)}`, 'make one with: age-keygen -o key.txt', error)
  }
}

/** Throws `invalid` before anything is begun. */
export const checkRecipients = (recipients: readonly string[]): void => {
  for (const recipient of recipients) addRecipient(new Encrypter(), recipient)
}

/** A `Refusal` where nothing that was given opens it, or where it is no age file. */
export const decrypt = async (sealed: AsyncIterable<Uint8Array>, opener: Opener): Promise<AsyncIterable<Uint8Array>> => {
  const decrypter = new Decrypter()
  for (const identity of opener.identities) decrypter.addIdentity(identity)
  if (opener.passphrase !== undefined) decrypter.addPassphrase(opener.passphrase)
  try {
    return await decrypter.decrypt(toWeb(sealed))
  } catch (error) {
    throw notOpened(error)
  }
}

const notOpened = (error: unknown): Refusal => {
  const message = error instanceof Error ? error.message : String(error)
  if (/no identity matched|incorrect passphrase|passphrase/i.test(message))
    return broken(
      'none of the identities or passphrases that were given opens it',
      'name the file of the identity whose recipient it was made for: --identity FILE',
      error,
    )
  return broken(
    `expected an age file, got something else or a part of one (${message})`,
    'name the file that svcctl backup wrote, whole and unchanged',
    error,
  )
}

/** The lines of an identity file that are identities. */
export const readIdentities = async (path: string): Promise<string[]> => {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim())
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'))
  for (const identity of identities) tryIdentity(path, identity)
  if (identities.length > 0) return identities
  throw new Refusal(exits.configuration, { detail: `${path}: expected a line that begins with AGE-SECRET-KEY-, got none` })
}

const tryIdentity = (path: string, identity: string): void => {
  try {
    new Decrypter().addIdentity(identity)
  } catch {
    // The error of the library may hold the text, which is a secret.
    throw new Refusal(exits.configuration, { detail: `${path}: expected lines that begin with AGE-SECRET-KEY-, got another` })
  }
}
