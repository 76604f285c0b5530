// The pool of preallocated disks: its lock, and every effect on its disks, one method each.
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import { readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { KeyedQueue, lostAndFound, writeAtomically } from '@gatehouse/kernel'
import { copyArguments, createActs, type DiskPrograms, runProgram } from '../disks/programs.ts'
import { emptyTree, removeTree } from '../disks/tree.ts'
import type { PremadeDisk } from './disk.ts'

export interface Pool {
  /** Path without symbolic links. */
  readonly directory: string
  readonly programs: PremadePrograms
}

export interface GroupPlace {
  /** Directory of all groups, without symbolic links in its path. */
  readonly groups: string
  readonly group: string
}

const turns = new KeyedQueue()

/** Serializes assignments and releases of disks. Not reentrant. */
export const inPoolTurn = <T>({ directory }: Pool, act: () => Promise<T>): Promise<T> => turns.run(directory, act)

/** The effects on preallocated disks, one method each, so that a test can kill the process before and after each. */
export interface PremadePrograms extends Pick<DiskPrograms, 'unmount' | 'copy' | 'bind' | 'share' | 'makeDirectory' | 'rename' | 'remove'> {
  /** Mounts a disk for a group. */
  attach(disk: string, point: string): Promise<void>
  /** Removes everything on a disk, of any owner and depth. */
  empty(disk: string): Promise<void>
  /** Moves the content of a directory to its parent and removes the directory. */
  raise(directory: string): Promise<void>
  /** Atomic and durable. */
  write(path: string, text: string): Promise<void>
  /** Syncs everything written to a disk. */
  settle(disk: string): Promise<void>
}

export const premadeNames = ['mount', 'umount', 'cp', 'sync', 'setpriv', 'flock'] as const

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Removes a file or directory if it exists. */
const remove = async (path: string): Promise<void> => {
  try {
    await removeTree(path)
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') await unlink(path)
    else if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Files rescued by e2fsck belong to a group too. The directory belongs to root, with no access for others, until setup changes its owner. */
const empty = async (disk: string): Promise<void> => {
  await emptyTree(disk, [lostAndFound])
  await emptyTree(join(disk, lostAndFound)).catch((error: unknown) => {
    if (!['ENOENT', 'EACCES'].includes(codeOf(error))) throw error
  })
}

const raise = async (directory: string): Promise<void> => {
  for (const name of await readdir(directory)) await rename(join(directory, name), join(dirname(directory), name))
  await rmdir(directory)
}

export const createPremade = (paths: Readonly<Record<(typeof premadeNames)[number], string>>): PremadePrograms => ({
  ...createActs(paths),
  // The copy ends with this process; the next start begins again.
  copy: (from, to) => runProgram(paths.setpriv, ['--pdeathsig', 'KILL', '--', paths.cp, ...copyArguments(from, to)]),
  attach: (disk, point) => runProgram(paths.mount, ['--no-mtab', '--bind', '--', disk, point]),
  empty,
  write: (path, text) => writeAtomically(path, text),
  settle: (disk) => runProgram(paths.sync, ['--file-system', disk]),
  raise,
  remove,
})

/** The lock belongs to the open file, so this process holds it until its end. */
const held = new Map<string, number>()

const isHeld = (path: string): boolean => {
  const descriptor = held.get(path)
  if (descriptor === undefined) return false
  const [one, other] = [fstatSync(descriptor), statSync(path)]
  return one.dev === other.dev && one.ino === other.ino
}

const conflict = 75
const isConflict = (error: unknown): boolean => error instanceof Error && 'exitCode' in error && error.exitCode === conflict

/** Node opens it close-on-exec, so no sandbox inherits it. */
const take = async (flock: string, path: string): Promise<boolean> => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await runProgram(flock, ['--nonblock', '--exclusive', '--conflict-exit-code', String(conflict), '0'], descriptor)
  } catch (error) {
    closeSync(descriptor)
    if (isConflict(error)) return false
    throw error
  }
  const former = held.get(path)
  held.set(path, descriptor)
  if (former !== undefined) closeSync(former)
  return true
}

/** Locks the trial disk until the process ends. Resolves to false where another process has the lock. Idempotent, also after a new mount. */
export const lockDisks = async (flock: string, { path }: PremadeDisk): Promise<boolean> => isHeld(path) || take(flock, path)
