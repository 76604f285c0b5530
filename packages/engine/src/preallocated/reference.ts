// Which disk a group has: one small file beside those of other groups. What it names is taken, also for a group that is gone. Notes of what
// is owed lie there too, one for each disk that is to be emptied, in the same form: they go with the group where its reference goes.
import { access, readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { diskCalled, DiskRefused, faultOf, fillingOf, imageOf, markName, type PremadeDisk } from './disk.ts'
import type { GroupPlace, Pool } from './pool.ts'

export const disksFolder = '.disks'
export const removedFolder = '.removed'

export interface Reference {
  /** Of the disk. */
  readonly name: string
  /** What the disk itself says: one that another state has given away since says something else. */
  readonly mark: string
}

export const referenceOf = (groups: string, group: string): string => `${groups}/${disksFolder}/${group}.disk`

/** The part before the first dot is the group's in each: no id of a group has one. */
const patterns = { had: /^[^.]+\.disk$/, owed: /^[^.]+\.[0-9a-f]{32}\.disk$/ } as const

/** Written before a disk has anything of the group on it, or before the group leaves it, and gone once it is empty or the group's. */
export const pendingOf = ({ groups, group }: { readonly groups: string; readonly group: string }, mark: string): string =>
  `${groups}/${disksFolder}/${group}.${mark}.disk`

const orNothing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
  throw error
}

const namesIn = async (directory: string): Promise<readonly string[]> => (await readdir(directory).catch(orNothing)) ?? []

/** Undefined where the group has none. */
export const readReference = async (path: string): Promise<Reference | undefined> => {
  const text = await readFile(path, 'utf8').catch(orNothing)
  if (text === undefined) return undefined
  const [, name, mark] = /^(\S+) ([0-9a-f]{32})\n$/.exec(text) ?? []
  if (name === undefined || mark === undefined) throw new Error(`expected the name of a disk in ${path}, got something else`)
  return { name, mark }
}

export const renderReference = ({ name, mark }: Reference): string => `${name} ${mark}\n`

/** Paths of the notes of the same group. */
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

/** Of groups to their end first: from there they move to those that are gone. */
const allIn = async (groups: string, form: keyof typeof patterns): Promise<Reference[]> => {
  const found = await namedIn(`${groups}/${disksFolder}`, form)
  for (const place of await namesIn(`${groups}/${removedFolder}`))
    found.push(...(await namedIn(`${groups}/${removedFolder}/${place}`, form)))
  return found
}

/** Names of the disks that some group has. */
export const takenIn = async (groups: string): Promise<ReadonlySet<string>> => new Set((await allIn(groups, 'had')).map(({ name }) => name))

/** Marks of the disks that are to be emptied. */
export const pendingIn = async (groups: string): Promise<ReadonlySet<string>> =>
  new Set((await allIn(groups, 'owed')).map(({ mark }) => mark))

const isGone = (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )

/** Filled for that mark, if only in part. */
const isOf = async (disk: PremadeDisk, mark: string): Promise<boolean> => {
  if ((await readFile(join(disk.path, markName), 'utf8').catch(() => '')) === mark) return true
  return access(fillingOf(disk, mark)).then(
    () => true,
    () => false,
  )
}

/** Rejects where it cannot be done now. */
const emptyThat = async ({ directory, programs }: Pool, { name, mark }: Reference): Promise<void> => {
  const disk = diskCalled(directory, name)
  if (disk === undefined) return
  const fault = await faultOf(disk)
  // Its files went with its image.
  if (fault !== undefined && (await isGone(imageOf(disk)))) return
  if (fault !== undefined) throw new DiskRefused(fault)
  // Otherwise it was given to somebody else since.
  if (!(await isOf(disk, mark))) return
  await programs.empty(disk.path)
  await programs.settle(disk.path)
}

/** `path`: of a reference, or of a note of what is owed. Called in the turn of the pool. */
export const settleOne = async (pool: Pool, path: string): Promise<void> => {
  const known = await readReference(path)
  if (known !== undefined) await emptyThat(pool, known)
  await pool.programs.remove(path)
}

/** All that a group owes but the disk that it has by now. One that cannot be emptied now is at the next call. Called in the turn of the pool. */
export const settlePending = async (pool: Pool, { groups, group }: GroupPlace): Promise<void> => {
  const reference = referenceOf(groups, group)
  const has = await readReference(reference)
  for (const path of await pendingBeside(reference)) {
    const isItsOwn = (await readReference(path))?.mark === has?.mark
    await (isItsOwn ? pool.programs.remove(path) : settleOne(pool, path)).catch(() => undefined)
  }
}
