// Walks what others could write, such as the files of agents: component by component, through no link, past whatever is
// neither file, directory nor link.
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readdir, readlink } from 'node:fs/promises'
import type { Entry } from '@gatehouse/archive'
import { bodyOf } from './body.ts'

/** A pipe that nobody writes would hold up whoever opens it. */
const careful = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const deepest = 256

export interface Walk {
  /** Names below the root of the walk that are left out. */
  readonly leaves?: (path: string) => boolean
  /** What is not in the archive, or not as it was. */
  readonly notice: (path: string, why: string) => void
}

interface Place {
  readonly directory: FileHandle
  /** In the archive. */
  readonly path: string
  readonly depth: number
}

const common = (path: string, { mode, uid, gid, mtime }: Stats) => ({ path, mode: mode & 0o777, uid, gid, mtime })

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP')

async function* fileIn(at: string, path: string, walk: Walk): AsyncGenerator<Entry> {
  const file = await open(at, careful)
  const found = await file.stat()
  if (!found.isFile()) return file.close()
  const short = (): void => walk.notice(path, 'it was cut while it was read')
  yield { ...common(path, found), type: 'file', size: found.size, body: bodyOf(file, { size: found.size, short }) }
}

async function* directoryIn(at: string, { path, depth }: Omit<Place, 'directory'>, walk: Walk): AsyncGenerator<Entry> {
  const directory = await open(at, careful | constants.O_DIRECTORY)
  try {
    yield { ...common(path, await directory.stat()), type: 'directory' }
    if (depth < deepest) yield* beneath({ directory, path, depth: depth + 1 }, walk)
    else walk.notice(path, `it lies more than ${deepest} directories deep`)
  } finally {
    await directory.close()
  }
}

async function* oneIn(name: string, { directory, path, depth }: Place, walk: Walk): AsyncGenerator<Entry> {
  const at = `/proc/self/fd/${directory.fd}/${name}`
  const to = `${path}/${name}`
  try {
    const found = await lstat(at)
    if (found.isDirectory()) yield* directoryIn(at, { path: to, depth }, walk)
    else if (found.isFile()) yield* fileIn(at, to, walk)
    else if (found.isSymbolicLink()) yield { ...common(to, found), type: 'link', target: await readlink(at) }
    else walk.notice(to, 'it is neither a file, a directory nor a link')
  } catch (error) {
    if (!isGone(error)) throw error
    walk.notice(to, 'it went while it was read')
  }
}

async function* beneath(place: Place, walk: Walk): AsyncGenerator<Entry> {
  for (const name of (await readdir(`/proc/self/fd/${place.directory.fd}`)).toSorted()) {
    if (walk.leaves?.(`${place.path}/${name}`) !== true) yield* oneIn(name, place, walk)
  }
}

/** The directory itself first. `path`: in the archive. */
export const plainTree = (root: string, path: string, walk: Walk): AsyncGenerator<Entry> => directoryIn(root, { path, depth: 0 }, walk)
