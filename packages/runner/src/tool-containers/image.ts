// Which image a server runs in: what its entry was pinned to, else what its reference names on this host now.
import type { ContainerOrder, ServerImage } from '@gatehouse/contracts'
import type { ToolEngine } from '@gatehouse/engine'
import { ContainerRefused } from '../errors.ts'

interface Asked {
  readonly order: Pick<ContainerOrder, 'image' | 'imageID'>
  /** For entries that name none. */
  readonly fallback: string | null
}

const noImage =
  'expected an image in the entry or a default by --mcp-image, got neither: name an image, or start the unit with --mcp-image REF'

/** The id that runs is never asked of a name that may move. */
const pinned = async (engine: ToolEngine, reference: string, imageID: string): Promise<ServerImage> => {
  const [there, named] = await Promise.all([engine.findImage(imageID), engine.findImage(reference)])
  if (there === null) {
    throw new ContainerRefused(
      'image-missing',
      `expected the image ${imageID}, to which the entry was pinned as ${reference}, got none on this host: load it again, or save the entry to pin what its name means now`,
    )
  }
  return { id: there, pinned: true, ...(named === there ? {} : { moved: named }) }
}

export const resolveImage = async (engine: ToolEngine, { order, fallback }: Asked): Promise<ServerImage> => {
  const reference = order.image === '' ? fallback : order.image
  if (reference === null) throw new ContainerRefused('no-image', noImage)
  if (order.image !== '' && order.imageID !== undefined) return pinned(engine, reference, order.imageID)
  const id = await engine.findImage(reference)
  if (id !== null) return { id, pinned: false }
  throw new ContainerRefused(
    'image-missing',
    `expected the image ${reference} on this host, got none: load it (${engine.name} load or ${engine.name} pull), it is never fetched by itself`,
  )
}
