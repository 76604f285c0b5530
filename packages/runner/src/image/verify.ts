// Verifies the signature of the sandbox image with the operator's key before use. Fails closed when it cannot.
import { createPublicKey, verify } from 'node:crypto'
import { jsonBounds, ServiceError } from '@gatehouse/contracts'
import { jsonText } from '@gatehouse/kernel'
import * as v from 'valibot'
import { type ImageReference, openRegistry, parseImage, type Registry, type RegistryOptions } from './registry.ts'

/** Judges one signature of an image as cosign makes it: a payload that names a digest, signed by ECDSA on P-256 with SHA-256. */
const Payload = v.pipe(
  jsonText(jsonBounds.imageAnswer),
  v.object({
    critical: v.object({
      image: v.object({ 'docker-manifest-digest': v.string() }),
      type: v.literal('cosign container image signature'),
    }),
  }),
)

export interface Signed {
  readonly payload: Buffer
  readonly signature: Buffer
}

/** True where `key` (PEM) signed that the image of this digest is meant. The payload is read only after it was verified. */
export const isSignatureOf = (
  { payload, signature }: Signed,
  { digest, key }: { readonly digest: string; readonly key: string },
): boolean => {
  if (!verify('sha256', payload, createPublicKey(key), signature)) return false
  const parsed = v.safeParse(Payload, payload.toString('utf8'))
  return parsed.success && parsed.output.critical.image['docker-manifest-digest'] === digest
}

const Signatures = v.pipe(
  jsonText(jsonBounds.imageAnswer),
  v.object({
    layers: v.array(
      v.object({
        mediaType: v.string(),
        digest: v.pipe(v.string(), v.regex(/^sha256:[0-9a-f]{64}$/)),
        annotations: v.optional(v.record(v.string(), v.string()), {}),
      }),
    ),
  }),
)

const mediaType = 'application/vnd.dev.cosign.simplesigning.v1+json'
const annotation = 'dev.cosignproject.cosign/signature'
/** An image may be signed by several; a list without end is no list of signatures. */
const most = 32

const refuse = (image: string, why: string, cause?: unknown): ServiceError =>
  new ServiceError('no-sandbox', {
    detail: `expected a signature of ${image} by the key of SERVICE_IMAGE_KEY, got ${why}`,
    hint: 'sign it with cosign sign --key, or name the image that was signed in SERVICE_SANDBOX_IMAGE',
    cause,
  })

/** Null where there is a good one, else what there is. */
const faultOf = async (registry: Registry, { digest }: ImageReference, key: string): Promise<string | null> => {
  const manifest = await registry.manifest(`${digest.replace(':', '-')}.sig`)
  if (manifest === null) return 'none'
  const parsed = v.safeParse(Signatures, manifest.toString('utf8'))
  if (!parsed.success) return 'something that is no list of signatures'
  const layers = parsed.output.layers.filter((layer) => layer.mediaType === mediaType).slice(0, most)
  for (const layer of layers) {
    const signature = Buffer.from(layer.annotations[annotation] ?? '', 'base64')
    if (isSignatureOf({ payload: await registry.blob(layer.digest), signature }, { digest, key })) return null
  }
  return `${layers.length} of others or of another image`
}

export interface VerifyOptions extends RegistryOptions {
  /** PEM. */
  readonly key: string
}

/** Throws `no-sandbox`. Asks the registry that the image is named after. */
export const verifyImage = async (image: string, options: VerifyOptions): Promise<void> => {
  const reference = parseImage(image)
  let fault: string | null
  try {
    fault = await faultOf(openRegistry(reference, options), reference, options.key)
  } catch (error) {
    throw refuse(image, `no answer: ${error instanceof Error ? error.message : String(error)}`, error)
  }
  if (fault !== null) throw refuse(image, fault)
}
