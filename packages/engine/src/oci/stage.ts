// Mounts the sources of a sandbox below a directory that every user may traverse, because gVisor's file server runs without privileges.
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import { hasHostIds, readMounts } from '@gatehouse/kernel'
import type { LaunchSpec, Mount } from '../driver.ts'
import { hardened, type StageMount } from '../mount-namespace.ts'

const places = ['/mnt', '/srv', '/media', '/opt'] as const

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** A directory of the host that the stage covers, so it must not contain a source. */
const findPlace = async (sources: readonly string[]): Promise<string> => {
  for (const place of places) {
    if (!sources.some((source) => `${source}/`.startsWith(`${place}/`)) && (await isDirectory(place))) return place
  }
  throw new ServiceError('no-sandbox', {
    detail: `none of ${places.join(', ')} is a directory without files of a sandbox`,
    hint: `create the directory ${places[0]}`,
  })
}

const isFile = ({ type }: Mount): boolean => type === 'file'

interface Staged {
  readonly spec: LaunchSpec
  readonly mounts: readonly StageMount[]
}

/** `mount` can create a directory as mount point, but no file, so a shared directory with an empty file is mounted first. */
const holderOf = async (home: string): Promise<string> => {
  const holder = join(home, 'holder')
  await mkdir(holder, { recursive: true })
  await writeFile(join(holder, 'file'), '', { flag: 'a' })
  await Promise.all([chmod(holder, 0o755), chmod(join(holder, 'file'), 0o644)])
  return holder
}

const bind = (source: string, target: string, mode: Mount['mode']): StageMount => ({
  source,
  target,
  options: ['bind', 'X-mount.mkdir=0755', mode, ...hardened],
})

const bindFile = (source: string, target: string, { mode, holder }: { mode: Mount['mode']; holder: string }): StageMount[] => [
  bind(holder, dirname(target), 'ro'),
  { source, target, options: ['bind', mode, ...hardened] },
]

/** The mount that contains a path: the deepest, and of equal ones the last. */
const flagsAt = async (path: string): Promise<readonly string[]> => {
  const above = (await readMounts()).filter(({ point }) => `${path}/`.startsWith(point === '/' ? '/' : `${point}/`))
  return above.reduce((one, other) => (other.point.length >= one.point.length ? other : one)).flags
}

/**
 * No flag except `ro`: gVisor's file server could not repeat others in its user namespace when it remounts its root. A flag that systemd
 * has set on everything cannot be removed in a user namespace, but an overlay does not have it.
 */
const showRootfs = async (rootfs: string, target: string, home: string): Promise<StageMount> => {
  const options = ['X-mount.mkdir=0755', 'ro']
  if ((await hasHostIds()) || !(await flagsAt(rootfs)).includes('nosuid')) return { source: rootfs, target, options: ['bind', ...options] }
  const empty = join(home, 'empty')
  await mkdir(empty, { recursive: true })
  return { source: 'overlay', target, options: [...options, `lowerdir=${rootfs}:${empty}`] }
}

/** @param home private directory of the driver */
export const stageLaunch = async (spec: LaunchSpec, home: string): Promise<Staged> => {
  const place = await findPlace([spec.rootfs, ...spec.mounts.map(({ source }) => source)])
  const shown = `${place}/rootfs`
  const holder = spec.mounts.some(isFile) ? await holderOf(home) : home
  const mounts = spec.mounts.map((mount, index) => ({ ...mount, source: isFile(mount) ? `${place}/${index}/file` : `${place}/${index}` }))
  return {
    spec: { ...spec, rootfs: shown, mounts },
    mounts: [
      { source: 'tmpfs', target: place, options: ['mode=755', 'size=65536', ...hardened] },
      await showRootfs(spec.rootfs, shown, home),
      ...spec.mounts.flatMap((mount, index) => {
        const target = mounts[index]?.source ?? place
        return isFile(mount) ? bindFile(mount.source, target, { mode: mount.mode, holder }) : [bind(mount.source, target, mount.mode)]
      }),
    ],
  }
}
