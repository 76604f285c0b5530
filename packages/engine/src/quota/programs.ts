// Everything that is done to disks of groups, one act a method: a test lets the process die before and after each.
import { mkdir, open, rename, rm, rmdir, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hardened } from '../stage/fstab.ts'
import { deviceAt } from './mounted.ts'
import { runProgram } from './run-program.ts'
import type { DiskSize } from './size.ts'

export interface Owner {
  readonly uid: number
  readonly gid: number
}

export interface DiskPrograms {
  makeFile(path: string, bytes: number): Promise<void>
  /** For root, or for whose unit it is made. */
  format(image: string, size: DiskSize, owner?: Owner): Promise<void>
  mount(image: string, point: string): Promise<void>
  /** What is still in use there goes with its last user. */
  unmount(point: string): Promise<void>
  /** All that is in a directory, on its own file system alone, into another that is there. */
  copy(from: string, to: string): Promise<void>
  /** While it is mounted; rejects where the kernel does not let us. */
  grow(image: string, point: string, bytes: number): Promise<void>
  /** A mount over itself: what is mounted below it comes and goes in the namespaces of sandboxes too. */
  bind(directory: string): Promise<void>
  share(directory: string): Promise<void>
  makeDirectory(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Never called for what may be mounted. */
  remove(path: string): Promise<void>
  removeDirectory(path: string): Promise<void>
}

export const programNames = ['mkfs.ext4', 'mount', 'umount', 'cp', 'losetup', 'resize2fs'] as const
export type ProgramPaths = Readonly<Record<(typeof programNames)[number], string>>

/** Files that were deleted give their room back to the host, and tables that nobody uses are never written. */
const options = ['loop', ...hardened, 'noatime', 'noinit_itable', 'discard', 'errors=remount-ro'].join(',')

/** 4 MiB is the smallest journal of ext4. */
const formatting = ['-q', '-F', '-m', '0', '-b', '4096', '-I', '256', '-J', 'size=4'] as const

const sync = async (path: string): Promise<void> => {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** What is still in use goes with its last user. */
export const createUnmount =
  (umount: string): DiskPrograms['unmount'] =>
  async (point) => {
    const unmount = (...args: string[]): Promise<void> => runProgram(umount, ['--no-mtab', ...args, '--', point])
    await unmount().catch(() => unmount('--lazy'))
  }

export const copyArguments = (from: string, to: string): string[] => [
  '--archive',
  '--one-file-system',
  '--no-target-directory',
  '--',
  from,
  to,
]

/** What every form of disk needs. */
export const createActs = (paths: Pick<ProgramPaths, 'mount' | 'umount' | 'cp'>) => {
  const mount = (...args: string[]): Promise<void> => runProgram(paths.mount, ['--no-mtab', ...args])
  return {
    unmount: createUnmount(paths.umount),
    copy: (from, to) => runProgram(paths.cp, copyArguments(from, to)),
    // Of a shared file system, as those of systemd are, a copy would be of the same group, and hold each disk a second time.
    bind: (directory) => mount('--bind', '--make-private', '--', directory, directory),
    share: (directory) => mount('--make-shared', '--', directory),
    makeDirectory: async (path) => void (await mkdir(path, { recursive: true, mode: 0o700 })),
    async rename(from, to) {
      await sync(from)
      await rename(from, to)
      await sync(dirname(to))
    },
  } satisfies Partial<DiskPrograms>
}

export const createPrograms = (paths: ProgramPaths): DiskPrograms => ({
  ...createActs(paths),
  async makeFile(path, bytes) {
    const file = await open(path, 'wx', 0o600)
    await file.close()
    await truncate(path, bytes)
  },
  format: (image, { inodes }, { uid, gid } = { uid: 0, gid: 0 }) =>
    runProgram(paths['mkfs.ext4'], [...formatting, '-E', `nodiscard,root_owner=${uid}:${gid}`, '-N', String(inodes), image]),
  mount: (image, point) => runProgram(paths.mount, ['--no-mtab', '-t', 'ext4', '-o', options, '--', image, point]),
  async grow(image, point, bytes) {
    await truncate(image, bytes)
    const device = await deviceAt(point)
    if (device === undefined) throw new Error(`expected something mounted at ${point}, got nothing`)
    await runProgram(paths.losetup, ['--set-capacity', device])
    await runProgram(paths.resize2fs, [device])
  },
  remove: (path) => rm(path, { recursive: true, force: true }),
  removeDirectory: (path) => rmdir(path),
})
