// Walks what others could write, such as the files of agents: component by component, through no link, past whatever an
// archive cannot have. A single file must not keep all the others from being restored.
import { isUtf8 } from 'node:buffer'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readdir, readlink } from 'node:fs/promises'
import { type Entry, findArchiveFault } from '@gatehouse/archive'
import { bodyOf } from './lines.ts'

/** Without O_NONBLOCK, opening a pipe without a writer would block. */
const careful = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const deepest = 256

export interface Walk {
  /** Names below the root of the walk that are left out. */
  readonly leaves?: (path: string) => boolean
  /** Why there is no room for it, which takes so many bytes of the disk; undefined: there is. */
  readonly refuses?: (entry: Entry, occupied: number) => string | undefined
  /** What is not in the archive, or not as it was. */
  readonly notice: (path: string, why: string) => void
}

interface Place {
  readonly directory: FileHandle
  /** In the archive. */
  readonly path: string
  readonly depth: number
}

const went = 'it went, or became something else, while it was read'

/** By the code of the system: what an agent brings about by moving its files while they are read, or by their modes. */
const ofOneFile: Readonly<Record<string, string>> = {
  ENOENT: went,
  ELOOP: went,
  ENOTDIR: went,
  ENXIO: went,
  EINVAL: went,
  EACCES: 'the unit may not read it',
  EPERM: 'the unit may not read it',
}

const reasonOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? ofOneFile[error.code] : undefined

/** Undefined for bytes that are no text: an archive has text alone, and two such names could become one. */
const textOf = (latin1: string): string | undefined => {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

const inBytes = (latin1: string): string => latin1.replaceAll(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)

const common = (path: string, { mode, uid, gid, mtime }: Stats) => ({ path, mode: mode & 0o777, uid, gid, mtime })

/** Whether it goes into the archive; a notice where it does not. */
const admits = (entry: Entry, { blocks }: Stats, { refuses, notice }: Walk): boolean => {
  const why = findArchiveFault(entry) ?? refuses?.(entry, blocks * 512)
  if (why !== undefined) notice(entry.path, why)
  return why === undefined
}

async function* fileIn(at: string, path: string, walk: Walk): AsyncGenerator<Entry> {
  await using file = await open(at, careful)
  const found = await file.stat()
  if (!found.isFile()) return walk.notice(path, went)
  const short = (): void => walk.notice(path, 'it was cut while it was read')
  const entry: Entry = { ...common(path, found), type: 'file', size: found.size, body: bodyOf(file, { size: found.size, short }) }
  if (admits(entry, found, walk)) yield entry
}

async function* linkIn(at: string, found: Stats, [path, walk]: readonly [string, Walk]): AsyncGenerator<Entry> {
  const target = textOf(await readlink(at, { encoding: 'latin1' }))
  if (target === undefined) return walk.notice(path, 'the target of this link is no text')
  const entry: Entry = { ...common(path, found), type: 'link', target }
  if (admits(entry, found, walk)) yield entry
}

async function* directoryIn(at: string, { path, depth }: Omit<Place, 'directory'>, walk: Walk): AsyncGenerator<Entry> {
  await using directory = await open(at, careful | constants.O_DIRECTORY)
  const found = await directory.stat()
  const entry: Entry = { ...common(path, found), type: 'directory' }
  if (!admits(entry, found, walk)) return
  yield entry
  if (depth < deepest) yield* beneath({ directory, path, depth: depth + 1 }, walk)
  else walk.notice(path, `what is in it lies more than ${deepest} directories deep`)
}

async function* oneIn(name: string, { directory, path, depth }: Place, walk: Walk): AsyncGenerator<Entry> {
  const at = `/proc/self/fd/${directory.fd}/${name}`
  const to = `${path}/${name}`
  try {
    const found = await lstat(at)
    if (found.isDirectory()) yield* directoryIn(at, { path: to, depth }, walk)
    else if (found.isFile()) yield* fileIn(at, to, walk)
    else if (found.isSymbolicLink()) yield* linkIn(at, found, [to, walk])
    else walk.notice(to, 'it is neither a file, a directory nor a link')
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    walk.notice(to, reason)
  }
}

/** Each name once: some file systems list a name twice if it is created again during the listing. */
const namesIn = async ({ directory, path }: Place, { notice }: Walk): Promise<string[]> => {
  const names: string[] = []
  for (const name of new Set(await readdir(`/proc/self/fd/${directory.fd}`, { encoding: 'latin1' }))) {
    const text = textOf(name)
    if (text === undefined) notice(`${path}/${inBytes(name)}`, 'its name is no text')
    else names.push(text)
  }
  return names.toSorted()
}

async function* beneath(place: Place, walk: Walk): AsyncGenerator<Entry> {
  for (const name of await namesIn(place, walk)) {
    if (walk.leaves?.(`${place.path}/${name}`) !== true) yield* oneIn(name, place, walk)
  }
}

/** The directory itself first. `path`: in the archive. */
export const plainTree = (root: string, path: string, walk: Walk): AsyncGenerator<Entry> => directoryIn(root, { path, depth: 0 }, walk)
