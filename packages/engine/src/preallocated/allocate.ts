// Assigns a free preallocated disk to a group and copies its files. Serialized, so that two groups never get the same disk.
import { randomBytes } from 'node:crypto'
import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isNoSpace } from '../disks/tree.ts'
import {
  diskName,
  DiskRefused,
  disksIn,
  faultOf,
  fillingOf,
  imageOf,
  isApart,
  markName,
  mostDisks,
  type PremadeDisk,
  setupHint,
} from './disk.ts'
import { pendingIn, pendingOf, referenceOf, renderReference, settleOne, takenIn } from './reference.ts'
import type { GroupPlace, Pool, PremadePrograms } from './pool.ts'

/** The files of the group do not fit, so every disk of this size would fail. */
export class NotCopied extends Error {
  readonly code: 'ENOSPC' | undefined

  constructor(name: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : 'unknown error'
    const full = isNoSpace(cause)
    super(full ? `No space left on ${name} for the files of the group` : `cannot copy the files of the group to ${name}: ${reason}`, {
      cause,
    })
    this.code = full ? 'ENOSPC' : undefined
  }
}

const copyAll = async (programs: PremadePrograms, from: string, to: string): Promise<void> => {
  for (const name of await readdir(from)) if (!isApart(name)) await programs.copy(join(from, name), join(to, name))
}

/**
 * Nothing may write to the mount point during the call. A copy that outlives the process continues below a name that is removed before
 * another group gets the disk. Rejects when the files do not fit; then the disk must be emptied.
 */
const fillDisk = async (programs: PremadePrograms, disk: PremadeDisk, { from, mark }: { from: string; mark: string }) => {
  const filling = fillingOf(disk, mark)
  await programs.empty(disk.path)
  await programs.makeDirectory(filling)
  try {
    await copyAll(programs, from, filling)
  } catch (error) {
    throw new NotCopied(disk.name, error)
  }
  await programs.write(join(disk.path, markName), mark).catch((error: unknown) => {
    throw isNoSpace(error) ? new NotCopied(disk.name, error) : error
  })
  await programs.raise(filling)
  await programs.settle(disk.path)
}

/** Free disks of a size, in the order of assignment. */
export interface FreeDisk extends PremadeDisk {
  /** A group that this state does not know had the disk, for example after a restore: its files may exist nowhere else. */
  readonly marked: boolean
}

const sizesOf = (disks: readonly PremadeDisk[]): string => {
  const counts = [...Map.groupBy(disks, ({ MiB }) => MiB)].map(([MiB, all]) => `${all.length} of ${MiB} MiB`)
  return counts.length === 0 ? 'there are none' : `there are ${counts.join(', ')}`
}

/** Number of created disks, mounted or not. Checked one by one, because a unit may not list the directory. */
const countMade = async (directory: string, MiB: number): Promise<number> => {
  const found = await Promise.all(
    Array.from({ length: mostDisks }, (_, index) =>
      access(imageOf({ path: `${directory}/${diskName(MiB, index + 1)}` })).then(
        () => 1,
        () => 0,
      ),
    ),
  )
  return found.reduce<number>((sum, one) => sum + one, 0)
}

/** The mark of a disk; undefined without one, empty if it cannot be read. */
const markOf = ({ path }: PremadeDisk): Promise<string | undefined> =>
  readFile(join(path, markName), 'utf8').catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : ''))

const refuseNone = async (directory: string, MiB: number, disks: readonly PremadeDisk[]): Promise<never> => {
  const made = await countMade(directory, MiB)
  const hint = setupHint(`1x${MiB}`, made === 0 ? 'creates one' : 'mounts the existing disks')
  if (made > 0) throw new DiskRefused(`none of the ${made} disks of ${MiB} MiB for groups is mounted: ${hint}`)
  throw new DiskRefused(`there is no disk of ${MiB} MiB for groups, ${sizesOf(disks)}: ${hint}`, { scarce: true })
}

/** Requesting one more than there are images creates at least one. */
const refuseTaken = async (directory: string, MiB: number, mounted: number): Promise<never> => {
  const made = await countMade(directory, MiB)
  const rest = made > mounted ? `, and ${made - mounted} more not mounted` : ''
  const hint = setupHint(`${Math.max(made, mounted) + 1}x${MiB}`, 'creates one more')
  throw new DiskRefused(`all ${mounted} disks of ${MiB} MiB for groups are in use${rest}: ${hint}`, { scarce: true })
}

/** Never empty. Empty disks come first, then those that this state has marked to be emptied. */
const freeIn = async (directory: string, groups: string, MiB: number): Promise<FreeDisk[]> => {
  const disks = await disksIn(directory)
  const fitting = disks.filter((disk) => disk.MiB === MiB)
  if (fitting.length === 0) return refuseNone(directory, MiB, disks)
  const [taken, owed] = [await takenIn(groups), await pendingIn(groups)]
  const free = fitting.filter(({ name }) => !taken.has(name))
  if (free.length === 0) return refuseTaken(directory, MiB, fitting.length)
  const found = await Promise.all(free.map(async (disk) => ({ ...disk, mark: await markOf(disk) })))
  const rank = ({ mark }: { mark: string | undefined }): number => (mark === undefined ? 0 : owed.has(mark) ? 1 : 2)
  return found.toSorted((one, other) => rank(one) - rank(other)).map(({ mark, ...disk }) => ({ ...disk, marked: rank({ mark }) === 2 }))
}

interface Filling extends GroupPlace {
  readonly disk: PremadeDisk
  readonly mark: string
}

const whyNot = async (disk: PremadeDisk): Promise<unknown> => {
  const fault = await faultOf(disk).catch((error: unknown) => error)
  return typeof fault === 'string' ? new DiskRefused(fault) : fault
}

/** Resolves to a fault of this disk, after which the next disk is tried. Rejects for a fault that all disks would have. */
const fill = async ({ programs }: Pool, { groups, group, disk, mark }: Filling): Promise<unknown> => {
  try {
    await fillDisk(programs, disk, { from: `${groups}/${group}`, mark })
    return undefined
  } catch (error) {
    if (error instanceof NotCopied && (await whyNot(disk)) === undefined) throw error
    return error
  }
}

/** The reference is written last and makes the assignment effective. Until then a note marks the disk to be emptied after a crash. */
const give = async (pool: Pool, filling: Filling): Promise<unknown> => {
  const [{ groups, group, disk, mark }, { programs }] = [filling, pool]
  const [owed, text] = [pendingOf({ groups, group }, mark), renderReference({ name: disk.name, mark })]
  await programs.write(owed, text)
  let isGiven = false
  try {
    const fault = await fill(pool, filling)
    if (fault !== undefined) return fault
    await programs.write(referenceOf(groups, group), text)
    isGiven = true
    return undefined
  } finally {
    // A failure here is repaired when the group is opened the next time.
    await (isGiven ? programs.remove(owed) : settleOne(pool, owed)).catch(() => undefined)
  }
}

/** Called with the lock of the pool. */
export const allocate = async (pool: Pool, { groups, group }: GroupPlace, MiB: number): Promise<FreeDisk> => {
  let fault: unknown
  for (const disk of await freeIn(pool.directory, groups, MiB)) {
    const mark = randomBytes(16).toString('hex')
    const found = (await whyNot(disk)) ?? (await give(pool, { groups, group, disk, mark }))
    if (found === undefined) return disk
    fault ??= found
  }
  throw fault
}
