// Signs an image as cosign does with a key: a payload that names the manifest's digest, and an ECDSA signature over it, beside the image.
import { type KeyObject, sign } from 'node:crypto'
import { mediaTypes } from '../oci/image.ts'
import { digestOf, putManifest, type Shelf } from './shelf.ts'

const payloadType = 'application/vnd.dev.cosign.simplesigning.v1+json'
const signatureAnnotation = 'dev.cosignproject.cosign/signature'

export interface SignOptions {
  /** `HOST:PORT/NAME`. */
  readonly name: string
  /** Of the manifest or index. */
  readonly digest: string
  /** ECDSA on P-256. */
  readonly key: KeyObject
  /** Default `digest`; another one is a signature of something else. */
  readonly says?: string
}

export const signOnShelf = (shelf: Shelf, { name, digest, key, says = digest }: SignOptions): void => {
  const payload = Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': name },
        image: { 'docker-manifest-digest': says },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  )
  const config = Buffer.from(
    JSON.stringify({ architecture: '', os: '', config: {}, rootfs: { type: 'layers', diff_ids: [digestOf(payload)] } }),
  )
  for (const bytes of [payload, config]) shelf.blobs.set(digestOf(bytes), { bytes })
  const layer = {
    mediaType: payloadType,
    digest: digestOf(payload),
    size: payload.length,
    annotations: { [signatureAnnotation]: sign('sha256', payload, key).toString('base64') },
  }
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: { mediaType: mediaTypes.config, digest: digestOf(config), size: config.length },
    layers: [layer],
  }
  const repository = name.slice(name.indexOf('/') + 1)
  const tag = `${repository}:${digest.replace(':', '-')}.sig`
  putManifest(shelf, { mediaType: mediaTypes.manifest, bytes: Buffer.from(JSON.stringify(manifest)) }, tag)
}
