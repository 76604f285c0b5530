// Image, mounts and variables of a tool server in a container: host paths must lie below what the operator allows and contain no links
// that lead elsewhere.
import { chmod, lchown, lstat, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContainerOrder, type RunnerBoot, type ServerImage, toolDataDirectory, type Volume } from '@gatehouse/contracts'
import { steeringVariable, type ToolEngine, type ToolOrder } from '@gatehouse/engine'
import { makeDirectory, privateDirectory } from '@gatehouse/kernel'
import { ContainerRefused } from '../errors.ts'

type Allowed = Pick<NonNullable<RunnerBoot['toolContainers']>, 'mountAllow' | 'ownPaths'>
type Mount = ToolOrder['mounts'][number]

const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`)

const refuse = (source: string, why: string): ContainerRefused => new ContainerRefused('volume', `the volume ${source} ${why}`)

const check = async ({ source, target, mode }: Volume, { mountAllow, ownPaths }: Allowed): Promise<Mount> => {
  const real = await realpath(source).catch(() => undefined)
  if (real === undefined) throw refuse(source, 'is not there: make it first')
  if (!mountAllow.some((allowed) => isWithin(real, allowed)))
    throw refuse(source, 'is not below a path that SERVICE_MOUNT_ALLOW names: the operator adds it there and starts the unit again')
  if (ownPaths.some((own) => isWithin(real, own) || isWithin(own, real))) throw refuse(source, "holds the unit's own files or lies in them")
  const found = await stat(real)
  if (!found.isDirectory() && !found.isFile()) throw refuse(source, 'is neither a directory nor a file')
  return { source: real, target, mode }
}

export const toMounts = async (volumes: readonly Volume[], allowed: Allowed): Promise<Mount[]> => {
  const targets = volumes.map(({ target }) => target)
  const twice = targets.find((target, index) => targets.indexOf(target) !== index)
  if (twice !== undefined) throw refuse(twice, 'is mounted twice')
  return Promise.all(volumes.map((volume) => check(volume, allowed)))
}

/** Everybody may pass a mode, but only through the parent, which is the unit's alone. */
const anybody = 0o777

type Server = Pick<ContainerOrder, 'server' | 'session'>

export const dataMount = async (
  stateDir: string,
  { server, session }: Server,
  { owner }: ToolEngine,
): Promise<ToolOrder['mounts'][number]> => {
  const parent = join(stateDir, toolDataDirectory)
  await privateDirectory(parent)
  const source = join(parent, session === undefined ? server : `${server}.${session}`)
  await makeDirectory(source)
  const found = await lstat(source)
  if (!found.isDirectory()) throw new ContainerRefused('volume', `expected a directory at ${source}, got another kind of file`)
  if (owner === undefined) await chmod(source, anybody)
  else if (found.uid !== owner.uid || found.gid !== owner.gid) await lchown(source, owner.uid, owner.gid)
  return { source, target: '/data', mode: 'rw' }
}

/** Which variables a server in a container may be given: they pass through the engine's client, which some would steer. */
export const assertGivable = (env: Readonly<Record<string, string>>): void => {
  const name = steeringVariable(Object.keys(env))
  if (name === undefined) return
  throw new ContainerRefused(
    'variable',
    `the variable ${name} cannot be given to a server in a container, since it would steer the container engine's client: give it another name, or set it in the image`,
  )
}

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
