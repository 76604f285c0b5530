// Judges one signature of an image as cosign makes it: a payload that names a digest, signed by ECDSA on P-256 with SHA-256.
import { createPublicKey, verify } from 'node:crypto'
import { jsonBounds } from '@gatehouse/contracts'
import { jsonText } from '@gatehouse/kernel'
import * as v from 'valibot'

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
