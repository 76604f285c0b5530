// Which disk a group has: one small file beside those of other groups. What it names is taken, also for a group that is gone. Notes of what
// is owed lie there too, one for each disk that is to be emptied, in the same form: they go with the group where its reference goes.
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

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
