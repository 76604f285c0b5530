// Disks of a size that no group has, in the order in which they are to be given.
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { diskName, disksIn, imageOf, markName, mostDisks, type PremadeDisk } from './disk.ts'
import { setupHint } from './hint.ts'
import { owedIn, takenIn } from './reference.ts'
import { DiskRefused } from './refused.ts'

export interface FreeDisk extends PremadeDisk {
  /** Some group had it that this state knows nothing of, as after an older state was put back: its files may be nowhere else. */
  readonly marked: boolean
}

const sizesOf = (disks: readonly PremadeDisk[]): string => {
  const counts = [...Map.groupBy(disks, ({ MiB }) => MiB)].map(([MiB, all]) => `${all.length} of ${MiB} MiB`)
  return counts.length === 0 ? 'there is none' : `there are ${counts.join(', ')}`
}

/** Mounted or not. Looked for one by one: a unit may not list the directory. */
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
export const freeIn = async (directory: string, groups: string, MiB: number): Promise<FreeDisk[]> => {
  const disks = await disksIn(directory)
  const fitting = disks.filter((disk) => disk.MiB === MiB)
  if (fitting.length === 0) return refuseNone(directory, MiB, disks)
  const [taken, owed] = [await takenIn(groups), await owedIn(groups)]
  const free = fitting.filter(({ name }) => !taken.has(name))
  if (free.length === 0) return refuseTaken(directory, MiB, fitting.length)
  const found = await Promise.all(free.map(async (disk) => ({ ...disk, mark: await markOf(disk) })))
  const rank = ({ mark }: { mark: string | undefined }): number => (mark === undefined ? 0 : owed.has(mark) ? 1 : 2)
  return found.toSorted((one, other) => rank(one) - rank(other)).map(({ mark, ...disk }) => ({ ...disk, marked: rank({ mark }) === 2 }))
}
