// Makes an image for a tool server: the pinned Node, what it needs to start, and the given files. No shell, no package manager.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ContainerEngine, ServiceError } from '@gatehouse/contracts'
import { ensureImage } from '../container-client/images.ts'
import { assembleRootfs, type RootfsOptions } from '../rootfs/assemble.ts'
import { findEngine } from './engine.ts'

export interface ImageParts extends Pick<RootfsOptions, 'node' | 'files'> {
  /** Without a tag, which is of the content. */
  readonly name: string
  /** Null: the first that works. */
  readonly engine: ContainerEngine | null
}

export interface MadeImage {
  readonly engine: ContainerEngine
  /** What a catalog entry names. */
  readonly image: string
  readonly id: string
}

/** Made once for one content. Throws `no-sandbox` where no engine can take it. */
export const makeImage = async ({ name, engine: wanted, node, files }: ImageParts): Promise<MadeImage> => {
  const found = await findEngine(wanted, null)
  if ('refused' in found) throw new ServiceError('no-sandbox', { detail: found.refused, hint: 'install a container engine and start it' })
  const { engine } = found
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-image-'))
  try {
    const target = join(directory, 'rootfs')
    const { digest } = await assembleRootfs({ target, node, files })
    const image = `${name}:${digest.slice(0, 12)}`
    const id = await ensureImage(engine, { tag: image, directory: target, entries: ['.'] })
    return { engine: engine.name, image, id }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
