// Checks that a host path is still what was approved: opened component by component, compared by device and inode.
import { constants } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, realpath, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { PinnedMount } from '@gatehouse/contracts'
import { LaunchRefused } from './errors.ts'

interface CheckedMount {
  readonly source: string
  readonly target: string
  readonly mode: 'ro' | 'rw'
  readonly type: 'directory' | 'file'
}

const careful = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** No link is left in `path`; one that is found was put there since it was resolved. */
const openWithoutLinks = async (path: string): Promise<FileHandle> => {
  let handle = await open('/', careful | constants.O_DIRECTORY)
  for (const name of path.split('/').filter((part) => part !== '')) {
    try {
      const next = await open(`/proc/self/fd/${handle.fd}/${name}`, careful)
      await handle.close()
      handle = next
    } catch (error) {
      await handle.close()
      throw error
    }
  }
  return handle
}

const isBelow = (path: string, allowed: string): boolean =>
  path === allowed || path.startsWith(allowed.endsWith('/') ? allowed : `${allowed}/`)

const refuse = ({ source }: PinnedMount, what: string): LaunchRefused =>
  new LaunchRefused(
    `its mount of ${source} is not what was approved: ${what}; put it back or ask for the mount again, then resume the session`,
  )

const reasonOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'an error')

const inspect = async (mount: PinnedMount, real: string): Promise<CheckedMount> => {
  const handle = await openWithoutLinks(real).catch((error: unknown) => {
    throw refuse(mount, `it cannot be opened (${reasonOf(error)})`)
  })
  try {
    const found = await handle.stat({ bigint: true })
    if (String(found.dev) !== mount.device || String(found.ino) !== mount.inode) throw refuse(mount, 'another file or directory lies there')
    if (!found.isDirectory() && !found.isFile()) throw refuse(mount, 'it is no file and no directory')
    const { target, mode } = mount
    return { source: real, target, mode, type: found.isDirectory() ? 'directory' : 'file' }
  } finally {
    await handle.close()
  }
}

/** Throws `LaunchRefused` for the first mount that has changed. */
export const checkMounts = async (mounts: readonly PinnedMount[], allowed: readonly string[]): Promise<CheckedMount[]> => {
  const checked: CheckedMount[] = []
  for (const mount of mounts) {
    if (mount.device === undefined || mount.inode === undefined) throw refuse(mount, 'its approval recorded no device and inode')
    const real = await realpath(mount.source).catch(() => undefined)
    if (real === undefined) throw refuse(mount, 'the path no longer exists')
    if (!allowed.some((path) => isBelow(real, path))) throw refuse(mount, 'it is outside of SERVICE_MOUNT_ALLOW')
    checked.push(await inspect(mount, real))
  }
  return checked
}

/** Made anew; the sandbox sees it read-only. */
export const createMountpoints = async (directory: string, mounts: readonly CheckedMount[]): Promise<void> => {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  for (const { target, type } of mounts) {
    const point = join(directory, basename(target))
    if (type === 'file') await writeFile(point, '')
    else await mkdir(point)
    await chmod(point, type === 'file' ? 0o644 : 0o755)
  }
  await chmod(directory, 0o755)
}
