// The assignment of a disk to a group: one small file per group. The named disk is in use, even if the group is gone. Notes about disks
// to be emptied have the same format and are beside the reference; they are removed with it.
import { access, readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { diskCalled, DiskRefused, faultOf, fillingOf, imageOf, markName, type PremadeDisk } from './disk.ts'
import type { GroupPlace, Pool } from './pool.ts'

export const disksFolder = '.disks'
export const removedFolder = '.removed'

export interface Reference {
  /** Name of the disk. */
  readonly name: string
  /** The mark on the disk. It differs if another state has assigned the disk since. */
  readonly mark: string
}

export const referenceOf = (groups: string, group: string): string => `${groups}/${disksFolder}/${group}.disk`

/** The part before the first dot is the group id, which contains no dot. */
const patterns = { had: /^[^.]+\.disk$/, owed: /^[^.]+\.[0-9a-f]{32}\.disk$/ } as const

/** A note, written before files of the group are copied to a disk or before the group leaves it, and removed when the disk is empty or assigned. */
export const pendingOf = ({ groups, group }: { readonly groups: string; readonly group: string }, mark: string): string =>
  `${groups}/${disksFolder}/${group}.${mark}.disk`

const orNothing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
  throw error
}

const namesIn = async (directory: string): Promise<readonly string[]> => (await readdir(directory).catch(orNothing)) ?? []

/** Undefined where the group has no reference. */
export const readReference = async (path: string): Promise<Reference | undefined> => {
  const text = await readFile(path, 'utf8').catch(orNothing)
  if (text === undefined) return undefined
  const [, name, mark] = /^(\S+) ([0-9a-f]{32})\n$/.exec(text) ?? []
  if (name === undefined || mark === undefined) throw new Error(`${path} contains no disk name`)
  return { name, mark }
}

export const renderReference = ({ name, mark }: Reference): string => `${name} ${mark}\n`

/** Paths of the notes of this group. */
export const pendingBeside = async (reference: string): Promise<string[]> => {
  const [directory, group] = [dirname(reference), basename(reference, '.disk')]
  const names = (await namesIn(directory)).filter((name) => patterns.owed.test(name) && name.startsWith(`${group}.`))
  return names.map((name) => join(directory, name))
}

const namedIn = async (directory: string, form: keyof typeof patterns): Promise<Reference[]> => {
  const names = (await namesIn(directory)).filter((name) => patterns[form].test(name))
  const references = await Promise.all(names.map((name) => readReference(join(directory, name))))
  return references.flatMap((reference) => reference ?? [])
}

/** References of existing groups first: they move to those of removed groups. */
const allIn = async (groups: string, form: keyof typeof patterns): Promise<Reference[]> => {
  const found = await namedIn(`${groups}/${disksFolder}`, form)
  for (const place of await namesIn(`${groups}/${removedFolder}`))
    found.push(...(await namedIn(`${groups}/${removedFolder}/${place}`, form)))
  return found
}

/** Names of the disks in use. */
export const takenIn = async (groups: string): Promise<ReadonlySet<string>> => new Set((await allIn(groups, 'had')).map(({ name }) => name))

/** Marks of the disks to be emptied. */
export const pendingIn = async (groups: string): Promise<ReadonlySet<string>> =>
  new Set((await allIn(groups, 'owed')).map(({ mark }) => mark))

const isGone = (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )

/** Whether the disk was completely or partly filled for that mark. */
const isOf = async (disk: PremadeDisk, mark: string): Promise<boolean> => {
  if ((await readFile(join(disk.path, markName), 'utf8').catch(() => '')) === mark) return true
  return access(fillingOf(disk, mark)).then(
    () => true,
    () => false,
  )
}

/** Rejects where the disk cannot be emptied now. */
const emptyThat = async ({ directory, programs }: Pool, { name, mark }: Reference): Promise<void> => {
  const disk = diskCalled(directory, name)
  if (disk === undefined) return
  const fault = await faultOf(disk)
  // The files were removed with the image.
  if (fault !== undefined && (await isGone(imageOf(disk)))) return
  if (fault !== undefined) throw new DiskRefused(fault)
  // Otherwise the disk was assigned to another group since.
  if (!(await isOf(disk, mark))) return
  await programs.empty(disk.path)
  await programs.settle(disk.path)
}

/** Called with the lock of the pool. @param path of a reference or note */
export const settleOne = async (pool: Pool, path: string): Promise<void> => {
  const known = await readReference(path)
  if (known !== undefined) await emptyThat(pool, known)
  await pool.programs.remove(path)
}

/** Empties the disks in the notes of a group, except its current one. Failures are retried at the next call. Called with the lock of the pool. */
export const settlePending = async (pool: Pool, { groups, group }: GroupPlace): Promise<void> => {
  const reference = referenceOf(groups, group)
  const has = await readReference(reference)
  for (const path of await pendingBeside(reference)) {
    const isItsOwn = (await readReference(path))?.mark === has?.mark
    await (isItsOwn ? pool.programs.remove(path) : settleOne(pool, path)).catch(() => undefined)
  }
}
