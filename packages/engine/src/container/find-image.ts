// Finds an image of an engine by what `SERVICE_SANDBOX_IMAGE` names: a digest of a registry, or the image's own.
import { ServiceError } from '@gatehouse/contracts'
import { callEngine, type Engine } from './engine.ts'

type Client = Pick<Engine, 'file' | 'global'>

const inspect = async (client: Client, name: string): Promise<string | null> => {
  const found = await callEngine(client, ['image', 'inspect', '--format', '{{.Id}}', name])
  return found.ok && found.stdout !== '' ? found.stdout.trim() : null
}

/** An image that was never in a registry has its own digest alone. */
const lookUp = async (client: Client, image: string): Promise<string | null> => {
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1]
  return (await inspect(client, image)) ?? (digest === undefined ? null : await inspect(client, digest))
}

/** The image's id; pulled by its digest where the engine does not have it yet. */
export const findNamedImage = async (client: Client, image: string): Promise<string> => {
  const present = await lookUp(client, image)
  if (present !== null) return present
  const pulled = await callEngine(client, ['pull', image])
  const id = await lookUp(client, image)
  if (id !== null) return id
  throw new ServiceError('no-sandbox', {
    detail: `expected the image ${image} (SERVICE_SANDBOX_IMAGE), got: ${pulled.stderr.trim().slice(0, 300) || 'no such image'}`,
    hint: 'load it into the engine of this host, or unset SERVICE_SANDBOX_IMAGE',
  })
}
