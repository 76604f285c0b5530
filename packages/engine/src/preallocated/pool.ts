// The pool of preallocated disks: its lock, and every effect on its disks, one method each.
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import { readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { KeyedQueue, lostAndFound, writeAtomically } from '@gatehouse/kernel'
import { copyArguments, createActs, type DiskPrograms, runProgram } from '../disks/programs.ts'
import { emptyTree, removeTree } from '../disks/tree.ts'
import type { PremadeDisk } from './disk.ts'

export interface Pool {
  /** Without links. */
  readonly directory: string
  readonly programs: PremadePrograms
}

export interface GroupPlace {
  /** Directory of all groups, with no link on its way. */
  readonly groups: string
  readonly group: string
}

const turns = new KeyedQueue()

/** Whoever chooses a disk or gives one back. Never called in such a turn. */
export const inPoolTurn = <T>({ directory }: Pool, act: () => Promise<T>): Promise<T> => turns.run(directory, act)

/** Everything that is done to disks which were made beforehand, one act a method: a test lets the process die before and after each. */
export interface PremadePrograms extends Pick<DiskPrograms, 'unmount' | 'copy' | 'bind' | 'share' | 'makeDirectory' | 'rename' | 'remove'> {
  /** Shows a disk at the point of a group too. */
  attach(disk: string, point: string): Promise<void>
  /** All that is on a disk, whoever made it and however deep. */
  empty(disk: string): Promise<void>
  /** All that is in a directory comes up beside it, and the directory goes. */
  raise(directory: string): Promise<void>
  /** Whole or not at all, and lasting. */
  write(path: string, text: string): Promise<void>
  /** All that was written to a disk is on it. */
  settle(disk: string): Promise<void>
}

export const premadeNames = ['mount', 'umount', 'cp', 'sync', 'setpriv', 'flock'] as const

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** A file or a directory, if it is there. */
const remove = async (path: string): Promise<void> => {
  try {
    await removeTree(path)
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') await unlink(path)
    else if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** What e2fsck rescued is some group's too. Of root, until setup gives the directory away: then nobody else sees into it either. */
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
  // Ends with us: nobody else would end it, and the next start fills a disk anew.
  copy: (from, to) => runProgram(paths.setpriv, ['--pdeathsig', 'KILL', '--', paths.cp, ...copyArguments(from, to)]),
  attach: (disk, point) => runProgram(paths.mount, ['--no-mtab', '--bind', '--', disk, point]),
  empty,
  write: (path, text) => writeAtomically(path, text),
  settle: (disk) => runProgram(paths.sync, ['--file-system', disk]),
  raise,
  remove,
})

/** The lock is of what is open here, whoever took it: it stays as long as this process holds it, and goes with it. */
const held = new Map<string, number>()

const isHeld = (path: string): boolean => {
  const descriptor = held.get(path)
  if (descriptor === undefined) return false
  const [one, other] = [fstatSync(descriptor), statSync(path)]
  return one.dev === other.dev && one.ino === other.ino
}

const conflict = 75
const isConflict = (error: unknown): boolean => error instanceof Error && 'exitCode' in error && error.exitCode === conflict

/** Node opens it for this process alone: no sandbox gets it. */
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

/** For the life of this process, by the disk for trials. False where another process has it; bears to be called again, also after it was mounted anew. */
export const lockDisks = async (flock: string, { path }: PremadeDisk): Promise<boolean> => isHeld(path) || take(flock, path)
