// Assigns a free preallocated disk to a group and fills it. Serialized, so that no two groups get the same disk.
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

/** For what the group has, not for what the disk is: every disk of the size would refuse it. */
export class NotCopied extends Error {
  readonly code: 'ENOSPC' | undefined

  constructor(name: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : 'unknown error'
    const full = isNoSpace(cause)
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

/** Disks of a size that no group has, in the order in which they are to be given. */
export interface FreeDisk extends PremadeDisk {
  /** Some group had it that this state knows nothing of, as after an older state was put back: its files may be nowhere else. */
  readonly marked: boolean
}

const sizesOf = (disks: readonly PremadeDisk[]): string => {
  const counts = [...Map.groupBy(disks, ({ MiB }) => MiB)].map(([MiB, all]) => `${all.length} of ${MiB} MiB`)
  return counts.length === 0 ? 'there is none' : `there are ${counts.join(', ')}`
}

/** MountEntry or not. Looked for one by one: a unit may not list the directory. */
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

/** Undefined where it has none; empty where nobody can tell. */
const markOf = ({ path }: PremadeDisk): Promise<string | undefined> =>
  readFile(join(path, markName), 'utf8').catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : ''))

const refuseNone = async (directory: string, MiB: number, disks: readonly PremadeDisk[]): Promise<never> => {
  const made = await countMade(directory, MiB)
  const hint = setupHint(`1x${MiB}`, made === 0 ? 'makes one' : 'mounts what there is')
  if (made > 0) throw new DiskRefused(`no disk of ${MiB} MiB is mounted, of ${made} that were made for groups: ${hint}`)
  throw new DiskRefused(`no disk of ${MiB} MiB was made for groups, ${sizesOf(disks)}: ${hint}`, { scarce: true })
}

/** With as many as there are images, whichever they are, one more makes at least one. */
const refuseTaken = async (directory: string, MiB: number, mounted: number): Promise<never> => {
  const made = await countMade(directory, MiB)
  const rest = made > mounted ? `, and ${made - mounted} more not mounted` : ''
  const hint = setupHint(`${Math.max(made, mounted) + 1}x${MiB}`, 'makes one more')
  throw new DiskRefused(`all ${mounted} disks of ${MiB} MiB that were made for groups are taken${rest}: ${hint}`, { scarce: true })
}

/** Never empty. Those on which nobody's files are come first, then those of which this state knows that they are to be emptied. */
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

/** What is wrong with the disk, which keeps no group from the others. Rejects for what would be so on each of them. */
const fill = async ({ programs }: Pool, { groups, group, disk, mark }: Filling): Promise<unknown> => {
  try {
    await fillDisk(programs, disk, { from: `${groups}/${group}`, mark })
    return undefined
  } catch (error) {
    if (error instanceof NotCopied && (await whyNot(disk)) === undefined) throw error
    return error
  }
}

/** The reference is what counts, and comes last. Until then the disk is owed, so that whoever dies leaves nothing that seems to be a group's. */
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
    // What fails here is made good when the group is opened the next time.
    await (isGiven ? programs.remove(owed) : settleOne(pool, owed)).catch(() => undefined)
  }
}

/** Called in the turn of the pool. */
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
