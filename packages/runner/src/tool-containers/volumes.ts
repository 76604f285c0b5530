// Paths of the host that an entry lends to its server: below what the operator allows, without links that lead elsewhere.
import { realpath, stat } from 'node:fs/promises'
import type { RunnerBoot, Volume } from '@gatehouse/contracts'
import type { ToolOrder } from '@gatehouse/engine'
import { ContainerRefused } from './refused.ts'

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
