// Which disk a group has: one small file beside those of other groups. What it names is taken, also for a group that is gone.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const disksFolder = '.disks'
export const removedFolder = '.removed'

export interface Reference {
  /** Of the disk. */
  readonly name: string
  /** What the disk itself says: one that another state has given away since says something else. */
  readonly mark: string
}

export const referenceOf = (groups: string, group: string): string => `${groups}/${disksFolder}/${group}.disk`

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

const namedIn = async (directory: string): Promise<string[]> => {
  const names = (await namesIn(directory)).filter((name) => /^[^.].*\.disk$/.test(name))
  const references = await Promise.all(names.map((name) => readReference(join(directory, name))))
  return references.flatMap((reference) => reference?.name ?? [])
}

/** Names of the disks that some group has. Those of groups to their end first: from there they move to those that are gone. */
export const takenIn = async (groups: string): Promise<ReadonlySet<string>> => {
  const taken = await namedIn(`${groups}/${disksFolder}`)
  for (const place of await namesIn(`${groups}/${removedFolder}`)) taken.push(...(await namedIn(`${groups}/${removedFolder}/${place}`)))
  return new Set(taken)
}
