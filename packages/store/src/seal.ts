// Seals one key with another: AES-256-GCM, bound to a context, so that a sealed key opens for its owner alone.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { jsonBounds, ServiceError } from '@gatehouse/contracts'
import { parseJson } from '@gatehouse/kernel'
import * as v from 'valibot'

const version = 'v1'
const nonceBytes = 12
const tagBytes = 16

/** `v1.<nonce>.<ciphertext>.<tag>` in base64url; `wrapping` is 32 bytes. */
export const sealKey = (wrapping: Buffer, context: string, key: Buffer): string => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', wrapping, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(key), cipher.final()])
  return [version, ...[nonce, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.')
}

const broken = (context: string, got: string): ServiceError =>
  new ServiceError('internal', {
    detail: `expected a key sealed for ${context} with this installation's master key, got ${got}`,
    hint: 'restore the key file and the keyring from the same backup',
  })

/** Throws a `ServiceError` for another context, another wrapping key or altered text. */
export const openSealedKey = (wrapping: Buffer, context: string, sealed: string): Buffer => {
  const [found, ...parts] = sealed.trim().split('.')
  const [nonce, ciphertext, tag] = parts.map((part) => Buffer.from(part, 'base64url'))
  const whole = found === version && parts.length === 3 && nonce?.length === nonceBytes && tag?.length === tagBytes
  if (!whole || ciphertext === undefined) throw broken(context, 'text of another form')
  const decipher = createDecipheriv('aes-256-gcm', wrapping, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  } catch {
    throw broken(context, 'one sealed for another or altered')
  }
}

const KeyFile = v.strictObject({
  sealed: v.string(),
  /** The database was completed under this key: from then on a missing one is a loss, not a beginning. */
  made: v.boolean(),
})

export interface FileKey {
  readonly key: Buffer
  readonly made: boolean
}

/** Throws for altered text, another context and another wrapping key. */
export const openKeyFile = (wrapping: Buffer, context: string, text: string): FileKey => {
  const file = v.parse(KeyFile, parseJson(text, jsonBounds.stateFile))
  return { key: openSealedKey(wrapping, context, file.sealed), made: file.made }
}

export const sealKeyFile = (wrapping: Buffer, context: string, { key, made }: FileKey): string =>
  `${JSON.stringify({ sealed: sealKey(wrapping, context, key), made })}\n`
