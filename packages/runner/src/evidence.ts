// Evidence for approvers: what lies at a host path that a change wants to mount, and which images tool servers use. Opens nothing
// and follows no link unseen.
import type { BigIntStats } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import type { MountSighting } from '@gatehouse/contracts'
import { wallTime } from '@gatehouse/kernel'
import { retryOnce } from './abortable.ts'
import type { Context } from './state/context.ts'

const typeOf = (found: BigIntStats): NonNullable<MountSighting['type']> => {
  if (found.isDirectory()) return 'directory'
  if (found.isFile()) return 'file'
  return found.isSocket() ? 'socket' : 'other'
}

/** Undefined where there is nothing that can be reached, or where it moved while it was looked at. */
const look = async (source: string): Promise<Omit<MountSighting, 'source' | 'at'> | undefined> => {
  const real = await realpath(source)
  // No link is left in `real`, so a link that is found there now was put there since.
  const found = await lstat(real, { bigint: true })
  if (found.isSymbolicLink() || (await realpath(source)) !== real) return undefined
  return {
    real,
    type: typeOf(found),
    device: String(found.dev),
    inode: String(found.ino),
    owner: Number(found.uid),
    mode: (Number(found.mode) & 0o7777).toString(8),
  }
}

/** Never rejects: a path that cannot be looked at is one where nothing was seen. */
export const inspectMount = async (source: string): Promise<MountSighting> => {
  const seen = await look(source).catch(() => undefined)
  return { source, at: wallTime(), ...seen }
}

/** Tells the gateway what it wants to know of paths of the host. */
export const reportMounts = async ({ gateway }: Pick<Context, 'gateway'>, sources: readonly string[]): Promise<void> => {
  const mounts = await Promise.all(sources.map(inspectMount))
  await retryOnce(() => gateway.sighted({ mounts }))
}

/** Without containers nothing is run by an image, so nothing is said of any. */
export const reportImages = async ({ gateway, toolContainers }: Pick<Context, 'gateway' | 'toolContainers'>, images: readonly string[]) => {
  const seen = (await toolContainers?.sight(images)) ?? images.map((image) => ({ image }))
  await retryOnce(() => gateway.imagesSighted({ images: seen }))
}
