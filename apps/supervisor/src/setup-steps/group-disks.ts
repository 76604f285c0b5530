// Disks for groups of a unit that may not mount images itself: made once, mounted after each boot, never changed.
import { chmod, chown, lstat, readdir, realpath, rmdir } from 'node:fs/promises'
import { createMaker, diskCalled, diskName, imageOf, isReady, type Maker, type PremadeDisk, trialDisk } from '@gatehouse/engine/premade'
import { ifPresent, makeDirectory } from '@gatehouse/kernel'
import { type Condition, reasonOf, type Site, type Step } from './step.ts'

const find = (path: string) => ifPresent(lstat(path))

const isThere = async (disk: PremadeDisk): Promise<boolean> => (await find(imageOf(disk))) !== undefined

/** Those of an earlier time too; whoever may not list the directory sees what was asked for. */
const namesThere = async (directory: string): Promise<string[]> => {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EACCES') return []
    throw error
  })
  return names.flatMap((name) => /^(.+)\.img$/.exec(name)?.[1] ?? [])
}

const namesWanted = ({ disks }: Site): string[] => [
  trialDisk,
  ...disks.flatMap(({ count, MiB }) => Array.from({ length: count }, (_, index) => diskName(MiB, index + 1))),
]

const disksOf = (directory: string, names: readonly string[]): PremadeDisk[] =>
  [...new Set(names)].flatMap((name) => diskCalled(directory, name) ?? [])

/** As the kernel names what is mounted there. */
const directoryOf = ({ disksDir }: Site): Promise<string> => realpath(disksDir).catch(() => disksDir)

/** Made by earlier calls or wanted by this one. */
const allDisks = async (site: Site): Promise<PremadeDisk[]> => {
  const directory = await directoryOf(site)
  return disksOf(directory, [...namesWanted(site), ...(await namesThere(directory))])
}

const judgeDirectory = async ({ disksDir }: Site): Promise<Condition | undefined> => {
  const found = await find(disksDir)
  if (found === undefined) return { state: 'lacking', says: `${disksDir} is not there` }
  if (!found.isDirectory()) return { state: 'blocked', says: `${disksDir} is no directory: move it away, or name another by --disks-dir` }
  const mode = found.mode & 0o777
  if (found.uid === 0 && mode === 0o711) return undefined
  return { state: 'lacking', says: `${disksDir} is of ${found.uid} with mode 0${mode.toString(8)}` }
}

const makeOne = async (maker: Maker, disk: PremadeDisk, { owner }: Site): Promise<void> => {
  if (!(await isThere(disk))) await maker.make(disk, owner)
  await maker.mount(disk, owner)
}

/** What is wrong. One that has to be mended keeps no group from the others. */
const makeEach = async (maker: Maker, site: Site): Promise<readonly string[]> => {
  const faults: string[] = []
  for (const disk of await allDisks(site))
    await makeOne(maker, disk, site).catch((error: unknown) => faults.push(`${disk.name}: ${reasonOf(error)}`))
  return faults
}

/** Why disks are not there, by what was tried last: whoever looks may not try. */
const faultsOf = new WeakMap<Site, readonly string[]>()

/** What groups hold stays as it is, and so does its image. */
const holdsFiles = async (maker: Maker, disk: PremadeDisk): Promise<boolean> => {
  if (disk.name.endsWith('-trial')) return false
  await maker.mount(disk)
  return maker.holds(disk)
}

/** Why it stays; nothing when it is gone. */
const removeDisk = async (maker: Maker, disk: PremadeDisk): Promise<readonly string[]> => {
  try {
    const holds = await holdsFiles(maker, disk)
    await maker.unmount(disk)
    if (holds) return [`${disk.name} (files of a group are on it)`]
    await maker.removeImage(disk)
    return []
  } catch (error) {
    // Nobody knows what is on it. The others go all the same.
    await maker.unmount(disk).catch(() => undefined)
    return [`${disk.name} (${reasonOf(error)})`]
  }
}

const removeDirectory = async (directory: string): Promise<string | undefined> => {
  try {
    await rmdir(directory)
    return undefined
  } catch (error) {
    return `${directory} stays: ${reasonOf(error)}`
  }
}

export const groupDisks: Step = {
  name: 'group-disks',
  isWanted: ({ disks }) => disks.length > 0,
  async look(site) {
    const fault = await judgeDirectory(site)
    if (fault !== undefined) return fault
    const disks = await allDisks(site)
    const ready = await Promise.all(disks.map((disk) => isReady(disk, site.owner)))
    const count = ready.filter((each) => each).length
    const says = `${count} of ${disks.length} mounted in ${site.disksDir}, for ${site.owner.uid}:${site.owner.gid}`
    if (count === disks.length) return { state: 'ready', says }
    return { state: 'lacking', says: [says, ...(faultsOf.get(site) ?? [])].join('; ') }
  },
  /** What cannot be made is said by the look that follows. */
  async make(site) {
    await makeDirectory(site.disksDir, 0o711)
    await chown(site.disksDir, 0, 0)
    await chmod(site.disksDir, 0o711)
    const maker = await createMaker()
    faultsOf.set(site, 'refused' in maker ? [maker.refused] : await makeEach(maker, site))
  },
  async remove(site) {
    const directory = await directoryOf(site)
    const disks = disksOf(directory, await namesThere(directory))
    if (disks.length === 0) return undefined
    const maker = await createMaker()
    if ('refused' in maker) return `${site.disksDir} stays: ${maker.refused}`
    const stay: string[] = []
    for (const disk of disks) stay.push(...(await removeDisk(maker, disk)))
    return stay.length > 0 ? `${site.disksDir} stays: ${stay.join(', ')}` : removeDirectory(directory)
  },
}
