// Makes a disk the next one of a group: nothing of an earlier group on it, all that its group has, and a mark.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isNoRoom } from '../no-room.ts'
import { fillingOf, isApart, markName, type PremadeDisk } from './disk.ts'
import type { PremadePrograms } from './programs.ts'

/** For what the group has, not for what the disk is: every disk of the size would refuse it. */
export class NotCopied extends Error {
  readonly code: 'ENOSPC' | undefined

  constructor(name: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : 'unknown error'
    const full = isNoRoom(cause)
    super(full ? `No space left on ${name} for what the group has` : `what the group has cannot be copied to ${name}: ${reason}`, { cause })
    this.code = full ? 'ENOSPC' : undefined
  }
}

const copyAll = async (programs: PremadePrograms, from: string, to: string): Promise<void> => {
  for (const name of await readdir(from)) if (!isApart(name)) await programs.copy(join(from, name), join(to, name))
}

/**
 * Nothing may be written at the point meanwhile. A copy that outlives us goes on below a name that is gone when the disk is emptied for
 * somebody else. Rejects when what is there does not fit; then the disk is to be emptied.
 */
export const fillDisk = async (programs: PremadePrograms, disk: PremadeDisk, { from, mark }: { from: string; mark: string }) => {
  const filling = fillingOf(disk, mark)
  await programs.empty(disk.path)
  await programs.makeDirectory(filling)
  try {
    await copyAll(programs, from, filling)
  } catch (error) {
    throw new NotCopied(disk.name, error)
  }
  await programs.write(join(disk.path, markName), mark).catch((error: unknown) => {
    throw isNoRoom(error) ? new NotCopied(disk.name, error) : error
  })
  await programs.raise(filling)
  await programs.settle(disk.path)
}
