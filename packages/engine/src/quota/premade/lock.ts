// One unit alone has the disks of a directory: to another one those of its groups would seem free.
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import { runProgram } from '../run-program.ts'
import type { PremadeDisk } from './disk.ts'

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
