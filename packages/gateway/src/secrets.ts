// Secret values: sealed with AES-256-GCM at rest, compared by HMAC, and masked for readers.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { type Change, kinds, mask } from '@gatehouse/contracts'
import { deriveKey } from '@gatehouse/kernel'
import * as v from 'valibot'

export interface Secrets {
  /** `sealed:v1:<base64url>`: another text each time. */
  readonly seal: (value: string) => string
  /** Throws for what this unit did not seal. */
  readonly unseal: (text: string) => string
  /** `hmac:<hex>`: the same for the same value. */
  readonly hmac: (value: string) => string
  /** Whether this unit sealed the text: nobody else can make one. */
  readonly owns: (text: string) => boolean
}

const prefix = 'sealed:v1:'
const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

const open = (key: Buffer, text: string): string | undefined => {
  const encoded = text.slice(prefix.length)
  const box = Buffer.from(encoded, 'base64url')
  // A decoder passes over what is no base64url, so that two texts could stand for one box.
  if (box.length < nonceLength + tagLength || box.toString('base64url') !== encoded) return undefined
  const decipher = createDecipheriv(algorithm, key, box.subarray(0, nonceLength), { authTagLength: tagLength })
  decipher.setAuthTag(box.subarray(box.length - tagLength))
  try {
    return Buffer.concat([decipher.update(box.subarray(nonceLength, box.length - tagLength)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

const rootOf = (master: string): Buffer => {
  const root = Buffer.from(master, 'hex')
  if (root.length !== 32) throw new TypeError('expected 32 bytes in hex')
  return root
}

/**
 * @param master 32 bytes in hex
 * @param former of earlier epochs, the oldest first. They open what the journal holds sealed, which is never written anew,
 *   and the oldest tells values apart, so that the digest of a change that waits stays what it is.
 */
export const createSecrets = (master: string, former: readonly string[] = []): Secrets => {
  const roots = [...former, master].map(rootOf)
  const sealing = deriveKey(rootOf(master), 'sealed values')
  const opening = roots.map((root) => deriveKey(root, 'sealed values')).toReversed()
  const telling = deriveKey(roots[0] ?? rootOf(master), 'digests of values')
  const unseal = (text: string): string | undefined => {
    if (!text.startsWith(prefix)) return undefined
    for (const key of opening) {
      const value = open(key, text)
      if (value !== undefined) return value
    }
    return undefined
  }
  return {
    seal: (value) => {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, sealing, nonce, { authTagLength: tagLength })
      const box = Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return prefix + box.toString('base64url')
    },
    unseal: (text) => {
      const value = unseal(text)
      if (value === undefined)
        throw new TypeError('expected a value that this unit sealed: the secrets key is another, or the text was altered')
      return value
    },
    hmac: (value) => `hmac:${createHmac('sha256', telling).update(value, 'utf8').digest('hex')}`,
    owns: (text) => unseal(text) !== undefined,
  }
}

/** An entry whose values are sealed: longer than an entry may hold. */
export const Sealed = v.record(v.string(), v.unknown())
export type Sealed = v.InferOutput<typeof Sealed>

type Json = Record<string, unknown>

const reference = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/
const fields = ['env', 'headers'] as const

const isReference = (value: string): boolean => reference.test(value)

const throughAll = (values: unknown, through: (value: string) => string): unknown => {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' && !isReference(value) ? through(value) : value]),
  )
}

/** The same entry with each secret value put through a function. What is no entry stays as it is. */
export const throughValues = (entry: Json, through: (value: string) => string): Json => ({
  ...entry,
  ...Object.fromEntries(fields.filter((field) => field in entry).map((field) => [field, throughAll(entry[field], through)])),
})

/** What leaves the gateway for a person: a sealed value is a mask. A text that only looks sealed stays, so that nothing
 * can hide behind the mask. */
type Owner = Pick<Secrets, 'owns'>

const masked = (secrets: Owner, value: unknown): unknown => {
  if (typeof value === 'string') return secrets.owns(value) ? mask : value
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? value.map((item) => masked(secrets, item)) : maskDetail(secrets, { ...value })
}

/** For the detail of a journal line. */
export const maskDetail = (secrets: Owner, detail: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, masked(secrets, value)]))

/** Takes whatever holds `after` and `diff` of a change, such as a preview with its kind. */
export const maskChange = <C extends Pick<Change, 'kind' | 'diff'> & { readonly after?: Change['after'] }>(
  secrets: Owner,
  change: C,
): C => {
  if (!kinds[change.kind].secretive) return change
  return {
    ...change,
    ...(change.after === undefined ? {} : { after: maskDetail(secrets, change.after) }),
    diff: change.diff.map((operation) => ({ ...operation, value: masked(secrets, operation.value) })),
  }
}
