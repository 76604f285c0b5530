// The effects on disks of groups, one method each, so that tests can kill the process before and after each.
import { mkdir, open, rename, rm, rmdir, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findProgram, programPath, syncPath } from '@gatehouse/kernel'
import { execa } from 'execa'
import { hardened } from '../mount-namespace.ts'
import { deviceAt, type DiskSize } from './disk.ts'
import { inWords, saysNoSpace } from './tree.ts'

/** Copying the files of a group can take long. */
const patience = 600_000

/** Rejects with the last output of the program, and with the code `ENOSPC` if it reported a full disk. @param stdin an open descriptor */
export const runProgram = async (file: string, args: readonly string[], stdin: number | 'ignore' = 'ignore'): Promise<void> => {
  const options = { env: { PATH: programPath, LC_ALL: 'C' }, extendEnv: false, cwd: '/', reject: false } as const
  // The types of execa allow only small descriptor numbers.
  const result = await execa(file, [...args], { ...options, stdin: stdin as 'ignore' | 3, timeout: patience })
  if (!result.failed) return
  const said = (result.stderr || result.stdout || result.shortMessage || 'no output').trim().split('\n').slice(-3).join(' ')
  const failed = Object.assign(new Error(`${file} failed: ${said.slice(0, 300)}`, { cause: result.cause }), { exitCode: result.exitCode })
  throw saysNoSpace(result.stderr) ? inWords(Object.assign(failed, { code: 'ENOSPC' })) : failed
}

export interface Owner {
  readonly uid: number
  readonly gid: number
}

export interface DiskPrograms {
  makeFile(path: string, bytes: number): Promise<void>
  /** Owned by root or by the user of the unit. */
  format(image: string, size: DiskSize, owner?: Owner): Promise<void>
  mount(image: string, point: string): Promise<void>
  /** A mount in use disappears with its last user. */
  unmount(point: string): Promise<void>
  /** Copies the content of a directory, without other file systems, into an existing directory. */
  copy(from: string, to: string): Promise<void>
  /** Grows a mounted file system. Rejects where the kernel does not allow it. */
  grow(image: string, point: string, bytes: number): Promise<void>
  /** Mounts a directory over itself and shares it: mounts below it appear and disappear in the namespaces of sandboxes too. */
  bind(directory: string): Promise<void>
  share(directory: string): Promise<void>
  makeDirectory(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Never called for a path that may be a mount point. */
  remove(path: string): Promise<void>
  removeDirectory(path: string): Promise<void>
}

export const programNames = ['mkfs.ext4', 'mount', 'umount', 'cp', 'losetup', 'resize2fs'] as const
export type ProgramPaths = Readonly<Record<(typeof programNames)[number], string>>

/** The space of deleted files returns to the host, and unused inode tables are never written. */
const options = ['loop', ...hardened, 'noatime', 'noinit_itable', 'discard', 'errors=remount-ro'].join(',')

/** 4 MiB is the smallest journal of ext4. */
const formatting = ['-q', '-F', '-m', '0', '-b', '4096', '-I', '256', '-J', 'size=4'] as const

/** A mount in use disappears with its last user. */
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

/** The effects that all kinds of disks need. */
export const createActs = (paths: Pick<ProgramPaths, 'mount' | 'umount' | 'cp'>) => {
  const mount = (...args: string[]): Promise<void> => runProgram(paths.mount, ['--no-mtab', ...args])
  return {
    unmount: createUnmount(paths.umount),
    copy: (from, to) => runProgram(paths.cp, copyArguments(from, to)),
    // A bind mount of a shared mount, as systemd creates, would join its peer group and show each disk a second time.
    bind: (directory) => mount('--bind', '--make-private', '--', directory, directory),
    share: (directory) => mount('--make-shared', '--', directory),
    makeDirectory: async (path) => void (await mkdir(path, { recursive: true, mode: 0o700 })),
    async rename(from, to) {
      await syncPath(from)
      await rename(from, to)
      await syncPath(dirname(to))
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
    if (device === undefined) throw new Error(`nothing is mounted at ${point}`)
    await runProgram(paths.losetup, ['--set-capacity', device])
    await runProgram(paths.resize2fs, [device])
  },
  remove: (path) => rm(path, { recursive: true, force: true }),
  removeDirectory: (path) => rmdir(path),
})

/** The host's programs for disks, or what to install. */
const install = 'apt-get install e2fsprogs mount util-linux'

/** Paths by name, or a clause for an error message. */
export const findPrograms = async <Name extends string>(names: readonly Name[]): Promise<Readonly<Record<Name, string>> | string> => {
  const found = await Promise.all(names.map(async (name) => [name, await findProgram(name)] as const))
  const lacking = found.flatMap(([name, path]) => (path === null ? [name] : []))
  if (lacking.length > 0) return `${lacking.join(', ')} not found: ${install}`
  // Each name has a path here.
  return Object.fromEntries(found) as Record<Name, string>
}
