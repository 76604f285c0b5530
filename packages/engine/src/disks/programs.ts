// Every effect on disks of groups, one method each, so that tests can kill the process before and after each one.
import { mkdir, open, rename, rm, rmdir, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findProgram, programPath, syncPath } from '@gatehouse/kernel'
import { execa } from 'execa'
import { hardened } from '../mount-namespace.ts'
import { deviceAt, type DiskSize } from './disk.ts'
import { inWords, saysNoSpace } from './tree.ts'

/** Copying what a group has takes its time. */
const patience = 600_000

/** `stdin`: an open file of ours. Rejects with what the program said last, and with the code `ENOSPC` where it found no room at any time. */
export const runProgram = async (file: string, args: readonly string[], stdin: number | 'ignore' = 'ignore'): Promise<void> => {
  const options = { env: { PATH: programPath, LC_ALL: 'C' }, extendEnv: false, cwd: '/', reject: false } as const
  // Its types know small numbers alone.
  const result = await execa(file, [...args], { ...options, stdin: stdin as 'ignore' | 3, timeout: patience })
  if (!result.failed) return
  const said = (result.stderr || result.stdout || result.shortMessage || 'it said nothing').trim().split('\n').slice(-3).join(' ')
  const failed = Object.assign(new Error(`${file} failed: ${said.slice(0, 300)}`, { cause: result.cause }), { exitCode: result.exitCode })
  throw saysNoSpace(result.stderr) ? inWords(Object.assign(failed, { code: 'ENOSPC' })) : failed
}

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
    if (device === undefined) throw new Error(`expected something mounted at ${point}, got nothing`)
    await runProgram(paths.losetup, ['--set-capacity', device])
    await runProgram(paths.resize2fs, [device])
  },
  remove: (path) => rm(path, { recursive: true, force: true }),
  removeDirectory: (path) => rmdir(path),
})

/** The host's programs for disks, or what to install for them. */
const install = 'apt-get install e2fsprogs mount util-linux'

/** Their paths by name, or one clause for people. */
export const findPrograms = async <Name extends string>(names: readonly Name[]): Promise<Readonly<Record<Name, string>> | string> => {
  const found = await Promise.all(names.map(async (name) => [name, await findProgram(name)] as const))
  const lacking = found.flatMap(([name, path]) => (path === null ? [name] : []))
  if (lacking.length > 0) return `${lacking.join(', ')} not found: ${install}`
  // Each name has its path by now.
  return Object.fromEntries(found) as Record<Name, string>
}
