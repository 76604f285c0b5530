// Which image the sandboxes are of, and whose signature it must carry.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { exits, type Mode } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import type { Plan } from './plan.ts'

interface Given {
  readonly sandboxImage: string | undefined
  /** Path. */
  readonly imageKey: string | undefined
}

const refuse = (detail: string, hint: string): Refusal => new Refusal(exits.configuration, { detail, hint })

const isDigest = (image: string): boolean => /@sha256:[0-9a-f]{64}$/.test(image)

const readKey = (path: string): KeyObject | null => {
  try {
    return createPublicKey(readFileSync(path))
  } catch {
    return null
  }
}

/** The kind of key that cosign makes. */
const parseKey = (path: string): string => {
  const key = readKey(path)
  if (key?.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') {
    return key.export({ type: 'spki', format: 'pem' }).toString()
  }
  throw refuse(
    `SERVICE_IMAGE_KEY: expected a file with a public key of ECDSA on P-256 in PEM, got ${path}, which ${key === null ? 'cannot be read as a key' : 'holds another kind of key'}`,
    'cosign generate-key-pair makes one: name its cosign.pub',
  )
}

/** A tag can be moved to another image after it was looked at, and a signature is of a digest. */
const checkImage = (mode: Mode, { sandboxImage: image, imageKey }: Given): void => {
  if (image === undefined) {
    if (imageKey === undefined) return
    throw refuse('SERVICE_IMAGE_KEY: expected SERVICE_SANDBOX_IMAGE beside it, got none', 'name the image that the key signed, or unset it')
  }
  if (isDigest(image) || (mode === 'dev' && imageKey === undefined)) return
  throw refuse(
    `SERVICE_SANDBOX_IMAGE: expected a digest, such as name@sha256:…, got ${image}`,
    imageKey === undefined
      ? 'give the digest of the image; only --dev takes a tag'
      : 'a signature is of a digest: give the digest of the image',
  )
}

/** `Refusal` 78 names the variable. */
export const readImage = (mode: Mode, given: Given): Pick<Plan, 'sandboxImage' | 'imageKey'> => {
  checkImage(mode, given)
  const { sandboxImage = null, imageKey } = given
  return { sandboxImage, imageKey: imageKey === undefined ? null : parseKey(imageKey) }
}
