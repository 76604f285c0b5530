// Secret values: sealed with AES-256-GCM at rest, compared by HMAC, and masked for readers.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { type Change, kinds, mask } from '@gatehouse/contracts'
import { deriveKey } from '@gatehouse/kernel'
import * as v from 'valibot'

export interface Secrets {
  /** Encrypts a value to `sealed:v1:<base64url>`. Not deterministic. */
  readonly seal: (value: string) => string
  /** Decrypts a sealed value. Throws for text that this unit did not seal. */
  readonly unseal: (text: string) => string
  /** Keyed hash `hmac:<hex>`. Deterministic. */
  readonly hmac: (value: string) => string
  /** Whether this unit sealed the text. */
  readonly owns: (text: string) => boolean
}

const prefix = 'sealed:v1:'
const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

const open = (key: Buffer, text: string): string | undefined => {
  const encoded = text.slice(prefix.length)
  const box = Buffer.from(encoded, 'base64url')
  // A decoder ignores invalid characters, so two texts could decode to the same bytes.
  if (box.length < nonceLength + tagLength || box.toString('base64url') !== encoded) return undefined
  const decipher = createDecipheriv(algorithm, key, box.subarray(0, nonceLength), { authTagLength: tagLength })
  decipher.setAuthTag(box.subarray(box.length - tagLength))
  try {
    return Buffer.concat([decipher.update(box.subarray(nonceLength, box.length - tagLength)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

const parseKey = (master: string): Buffer => {
  const root = Buffer.from(master, 'hex')
  if (root.length !== 32) throw new TypeError('expected 32 bytes in hex')
  return root
}

/**
 * @param master 32 bytes in hex
 * @param former keys of earlier epochs, oldest first. They decrypt sealed values in the journal, which is never rewritten. The
 *   oldest key makes the keyed hashes, so the digests of pending changes stay the same.
 */
export const createSecrets = (master: string, former: readonly string[] = []): Secrets => {
  const roots = [...former, master].map(parseKey)
  const sealKey = deriveKey(parseKey(master), 'sealed values')
  const openKeys = roots.map((root) => deriveKey(root, 'sealed values')).toReversed()
  const hashKey = deriveKey(roots[0] ?? parseKey(master), 'digests of values')
  const unseal = (text: string): string | undefined => {
    if (!text.startsWith(prefix)) return undefined
    for (const key of openKeys) {
      const value = open(key, text)
      if (value !== undefined) return value
    }
    return undefined
  }
  return {
    seal: (value) => {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, sealKey, nonce, { authTagLength: tagLength })
      const box = Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return prefix + box.toString('base64url')
    },
    unseal: (text) => {
      const value = unseal(text)
      if (value === undefined)
        throw new TypeError('the value was not sealed by this unit: the secrets key differs, or the text was altered')
      return value
    },
    hmac: (value) => `hmac:${createHmac('sha256', hashKey).update(value, 'utf8').digest('hex')}`,
    owns: (text) => unseal(text) !== undefined,
  }
}

/** A catalog entry with sealed values, which may be longer than the schema of an entry allows. */
export const Sealed = v.record(v.string(), v.unknown())
export type Sealed = v.InferOutput<typeof Sealed>

type Json = Record<string, unknown>

const reference = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/
const fields = ['env', 'headers'] as const

const isReference = (value: string): boolean => reference.test(value)

const mapAll = (values: unknown, map: (value: string) => string): unknown => {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' && !isReference(value) ? map(value) : value]),
  )
}

/** Maps each secret value of an entry. Fields of another type are left unchanged. */
export const mapSecretValues = (entry: Json, map: (value: string) => string): Json => ({
  ...entry,
  ...Object.fromEntries(fields.filter((field) => field in entry).map((field) => [field, mapAll(entry[field], map)])),
})

type Owner = Pick<Secrets, 'owns'>

/** Replaces sealed values by the mask. A text that only looks sealed is shown, so nothing can hide behind the mask. */
const maskValue = (secrets: Owner, value: unknown): unknown => {
  if (typeof value === 'string') return secrets.owns(value) ? mask : value
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? value.map((item) => maskValue(secrets, item)) : maskDetail(secrets, { ...value })
}

/** Masks the detail of a journal record. */
export const maskDetail = (secrets: Owner, detail: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, maskValue(secrets, value)]))

/** Masks a change or a preview. */
export const maskChange = <C extends Pick<Change, 'kind' | 'diff'> & { readonly after?: Change['after'] }>(
  secrets: Owner,
  change: C,
): C => {
  if (!kinds[change.kind].secretive) return change
  return {
    ...change,
    ...(change.after === undefined ? {} : { after: maskDetail(secrets, change.after) }),
    diff: change.diff.map((operation) => ({ ...operation, value: maskValue(secrets, operation.value) })),
  }
}
