// gVisor's file server walks to what it serves as a host id without rights, so its sources are shown to it below a directory that anybody may pass.
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

/** A directory of the host that the stage covers, so no source may lie in it. */
const findPlace = async (sources: readonly string[]): Promise<string> => {
  for (const place of places) {
    if (!sources.some((source) => `${source}/`.startsWith(`${place}/`)) && (await isDirectory(place))) return place
  }
  throw new ServiceError('no-sandbox', {
    detail: `expected one of ${places.join(', ')} to be a directory that holds nothing of a sandbox, got none`,
    hint: `make the directory ${places[0]}`,
  })
}

const isFile = ({ type }: Mount): boolean => type === 'file'

interface Staged {
  readonly spec: LaunchSpec
  readonly mounts: readonly StageMount[]
}

/** `mount` makes the directory that it mounts on, but no file: so a directory that holds an empty one comes first, the same for all. */
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

/** What covers a path: of those as near as each other the one that was mounted last. */
const flagsAt = async (path: string): Promise<readonly string[]> => {
  const above = (await readMounts()).filter(({ point }) => `${path}/`.startsWith(point === '/' ? '/' : `${point}/`))
  return above.reduce((one, other) => (other.point.length >= one.point.length ? other : one)).flags
}

/**
 * No flag but `ro`: within its user namespace gVisor's file server could not repeat it when it remounts its root. One that systemd has put
 * on everything cannot be taken off in a user namespace; what is shown through an overlay never had it.
 */
const showRootfs = async (rootfs: string, target: string, home: string): Promise<StageMount> => {
  const options = ['X-mount.mkdir=0755', 'ro']
  if ((await hasHostIds()) || !(await flagsAt(rootfs)).includes('nosuid')) return { source: rootfs, target, options: ['bind', ...options] }
  const empty = join(home, 'empty')
  await mkdir(empty, { recursive: true })
  return { source: 'overlay', target, options: [...options, `lowerdir=${rootfs}:${empty}`] }
}

/** `home`: private directory of the driver. */
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
