// Everything that is done to disks which were made beforehand, one act a method: a test lets the process die before and after each.
import { readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lostAndFound, writeAtomically } from '@gatehouse/kernel'
import { copyArguments, createActs, type DiskPrograms } from '../programs.ts'
import { emptyTree, removeTree } from '../remove-tree.ts'
import { runProgram } from '../run-program.ts'

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
