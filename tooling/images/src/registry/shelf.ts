// What a registry holds.
import { createHash } from 'node:crypto'

export type Blob = { readonly file: string; readonly size: number } | { readonly bytes: Buffer }

export interface Manifest {
  readonly mediaType: string
  readonly bytes: Buffer
}

/** Blobs of all repositories are together; tags are not. */
export interface Shelf {
  readonly blobs: Map<string, Blob>
  /** By digest, and by `NAME:TAG`. */
  readonly manifests: Map<string, Manifest>
}

export const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** Returns the digest. `tag` is `NAME:TAG`. */
export const putManifest = ({ manifests }: Shelf, manifest: Manifest, tag?: string): string => {
  const digest = digestOf(manifest.bytes)
  manifests.set(digest, manifest)
  if (tag !== undefined) manifests.set(tag, manifest)
  return digest
}
