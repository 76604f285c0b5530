// An OCI image layout: a directory of blobs by their digest, and an index of the images in it, one for each architecture.
import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Architecture } from '../architecture.ts'
import { complete, type Entry } from '../layer/entry.ts'
import { writeLayer, type Written } from '../layer/write.ts'
import { configOf, type Descriptor, type ImageSettings, manifestOf, mediaTypes } from './image.ts'

export interface LayerPlan {
  readonly what: string
  readonly entries: readonly Entry[]
}

export interface ImagePlan {
  readonly architecture: Architecture
  readonly layers: readonly LayerPlan[]
  readonly settings: ImageSettings
}

export interface LayoutOptions {
  readonly created: string
  readonly compressed: boolean
}

export interface MadeLayoutImage {
  readonly architecture: Architecture
  /** `sha256:` of the manifest: what a registry and a signature name. */
  readonly digest: string
  readonly config: string
  readonly layers: readonly string[]
}

export const blobPath = (digest: string): string => join('blobs', digest.replace(':', '/'))

const writeBlob = async (layout: string, mediaType: string, content: object): Promise<Descriptor> => {
  const bytes = Buffer.from(JSON.stringify(content))
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  await writeFile(join(layout, blobPath(digest)), bytes)
  return { mediaType, digest, size: bytes.length }
}

const addLayer = async (layout: string, { entries }: LayerPlan, { compressed }: LayoutOptions): Promise<Written> => {
  const fresh = join(layout, 'layer.new')
  const written = await writeLayer(complete(entries), fresh, { compressed })
  await rename(fresh, join(layout, blobPath(written.digest)))
  return written
}

const addImage = async (layout: string, plan: ImagePlan, options: LayoutOptions): Promise<MadeLayoutImage & { descriptor: Descriptor }> => {
  const layers: { written: Written; what: string }[] = []
  for (const layer of plan.layers) layers.push({ written: await addLayer(layout, layer, options), what: layer.what })
  const { architecture, settings } = plan
  const config = await writeBlob(layout, mediaTypes.config, configOf({ architecture, created: options.created, settings, layers }))
  const mediaType = options.compressed ? mediaTypes.compressedLayer : mediaTypes.layer
  const descriptors = layers.map(({ written: { digest, size } }) => ({ mediaType, digest, size }))
  const descriptor = await writeBlob(layout, mediaTypes.manifest, manifestOf(config, descriptors, settings.labels))
  return { architecture, digest: descriptor.digest, config: config.digest, layers: descriptors.map(({ digest }) => digest), descriptor }
}

export interface MadeLayout {
  readonly directory: string
  /** `sha256:` of the index of all architectures. */
  readonly digest: string
  readonly images: readonly MadeLayoutImage[]
}

/** Replaces `directory`. */
export const writeLayout = async (directory: string, plans: readonly ImagePlan[], options: LayoutOptions): Promise<MadeLayout> => {
  await rm(directory, { recursive: true, force: true })
  await mkdir(join(directory, 'blobs/sha256'), { recursive: true })
  const images: (MadeLayoutImage & { descriptor: Descriptor })[] = []
  for (const plan of plans) images.push(await addImage(directory, plan, options))
  const manifests = images.map(({ architecture, descriptor }) => ({ ...descriptor, platform: { architecture, os: 'linux' } }))
  const index = await writeBlob(directory, mediaTypes.index, { schemaVersion: 2, mediaType: mediaTypes.index, manifests })
  await writeFile(join(directory, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  await writeFile(join(directory, 'index.json'), JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.index, manifests: [index] }))
  return { directory, digest: index.digest, images: images.map(({ descriptor: _, ...image }) => image) }
}
