// Opens the preallocated disk of a group: assigns one the first time, another one after a changed limit, and mounts it for the group.
// Safe to kill at any point and to call again.
import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { besides, isMounted } from '../disks/disk.ts'
import { clearPoint, type Opened, type OpenOptions } from '../disks/open.ts'
import { inWords, isNoSpace } from '../disks/tree.ts'
import { allocate, type FreeDisk, NotCopied } from './allocate.ts'
import { diskCalled, DiskRefused, faultOf, markName, type PremadeDisk } from './disk.ts'
import { pendingBeside, pendingOf, readReference, type Reference, referenceOf, renderReference, settlePending } from './reference.ts'
import { type GroupPlace, inPoolTurn, type Pool } from './pool.ts'

export interface PremadePlace extends GroupPlace {
  readonly MiB: number
}

export interface PremadeOpened extends Opened {
  /** The newly assigned disk, if files of an unknown group were on it. */
  readonly emptied?: string
}

const pointOf = ({ groups, group }: GroupPlace): string => `${groups}/${group}`

const isSame = async (one: string, other: string): Promise<boolean> => (await stat(one)).dev === (await stat(other)).dev

/** Throws where the disk cannot be used or is no longer assigned to the group. */
const diskOf = async ({ directory }: Pool, { name, mark }: Reference): Promise<PremadeDisk> => {
  const disk = diskCalled(directory, name)
  if (disk === undefined) throw new DiskRefused(`${JSON.stringify(name)} is not a disk name such as 256-01`)
  const fault = await faultOf(disk)
  if (fault !== undefined) throw new DiskRefused(fault)
  const found = await readFile(join(disk.path, markName), 'utf8').catch(() => '')
  if (found !== mark)
    throw new DiskRefused(`${disk.path} contains files of another state now: restore the files of the group from a backup`)
  return disk
}

interface Shown extends OpenOptions {
  readonly disk: PremadeDisk
  readonly point: string
}

/** A mount of an earlier device, for example before a repair, is removed as soon as it is not in use. */
const detach = async ({ programs }: Pool, { disk, point, quiet }: Shown): Promise<void> => {
  if (!(await isMounted(point)) || (await isSame(point, disk.path))) return
  if (!quiet) throw new DiskRefused(`${disk.path} was mounted again: restart the unit`)
  await programs.unmount(point)
}

const attach = async (pool: Pool, place: GroupPlace, { disk, copied }: { disk: PremadeDisk; copied: boolean }) => {
  const [point, { programs }] = [pointOf(place), pool]
  if (await isMounted(point)) return undefined
  await programs.makeDirectory(point)
  const aside = await clearPoint(programs, { image: referenceOf(place.groups, place.group), point }, copied)
  await programs.attach(disk.path, point)
  return aside
}

const attachKnown = async (pool: Pool, place: GroupPlace, { reference, quiet }: OpenOptions & { reference: Reference }) => {
  const point = pointOf(place)
  try {
    const disk = await diskOf(pool, reference)
    await detach(pool, { disk, point, quiet })
    return { disk, setAside: await attach(pool, place, { disk, copied: false }) }
  } catch (error) {
    if (!(error instanceof DiskRefused) || !(await isMounted(point))) throw error
    // A repair needs an unused disk: a mount here would keep it in use.
    if (!quiet) throw new DiskRefused(`${error.message}; sandboxes of the group use it, so stop the unit first`)
    await pool.programs.unmount(point)
    throw error
  }
}

const reasonOf = (error: unknown): string => {
  if (error instanceof NotCopied && isNoSpace(error)) return 'its files exceed its limit'
  return error instanceof Error ? error.message : 'unknown error'
}

const emptiedOf = ({ name, marked }: FreeDisk): Pick<PremadeOpened, 'emptied'> => (marked ? { emptied: name } : {})

/** Resolves to the reason if the group keeps its disk. */
const move = (pool: Pool, place: PremadePlace, reference: Reference): Promise<PremadeOpened> =>
  inPoolTurn(pool, async () => {
    let next: FreeDisk
    try {
      // A crash after the move must not leave the files of the group on this disk forever.
      await pool.programs.write(pendingOf(place, reference.mark), renderReference(reference))
      next = await allocate(pool, place, place.MiB)
    } catch (error) {
      await settlePending(pool, place)
      return { postponed: reasonOf(error) }
    }
    await pool.programs.unmount(pointOf(place))
    await attach(pool, place, { disk: next, copied: false })
    await settlePending(pool, place)
    return emptiedOf(next)
  })

/** Empties disks that an earlier process had marked to be emptied. */
const settleEarlier = async (pool: Pool, place: PremadePlace): Promise<void> => {
  const owed = await pendingBeside(referenceOf(place.groups, place.group))
  if (owed.length > 0) await inPoolTurn(pool, () => settlePending(pool, place))
}

const openKnown = async (
  pool: Pool,
  place: PremadePlace,
  { reference, quiet }: OpenOptions & { reference: Reference },
): Promise<PremadeOpened> => {
  const { disk, setAside } = await attachKnown(pool, place, { reference, quiet })
  await settleEarlier(pool, place)
  const moved = disk.MiB === place.MiB ? {} : quiet ? await move(pool, place, reference) : { postponed: 'its files are in use' }
  return { ...(setAside === undefined ? {} : { setAside }), ...moved }
}

const openAny = async (pool: Pool, place: PremadePlace, { quiet }: OpenOptions): Promise<PremadeOpened> => {
  const [path, { programs }] = [referenceOf(place.groups, place.group), pool]
  await programs.makeDirectory(dirname(path))
  await programs.remove(besides(path).copied)
  const reference = await readReference(path)
  if (reference !== undefined) return openKnown(pool, place, { reference, quiet })
  await settleEarlier(pool, place)
  await programs.makeDirectory(pointOf(place))
  const disk = await inPoolTurn(pool, () => allocate(pool, place, place.MiB))
  await attach(pool, place, { disk, copied: true })
  return emptiedOf(disk)
}

/** Only one call per group at a time. Rejects with `DiskRefused` where the group gets no disk; a full disk has 'No space left' in the message. */
export const openPremade = (pool: Pool, place: PremadePlace, options: OpenOptions): Promise<PremadeOpened> =>
  openAny(pool, place, options).catch((error: unknown) => {
    throw inWords(error)
  })

/** Mounts the disk unchanged, for reading. Assigns none; resolves to false where the group has no disk. */
export const resumePremade = async (pool: Pool, place: GroupPlace, { quiet }: OpenOptions): Promise<boolean> => {
  const reference = await readReference(referenceOf(place.groups, place.group))
  if (reference === undefined) return false
  await attachKnown(pool, place, { reference, quiet })
  return true
}
