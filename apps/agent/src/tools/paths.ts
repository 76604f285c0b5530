// The directories that built-in tools may read and write; every other path is refused.
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, normalize, relative, resolve } from 'node:path'
import type { Places } from './own.ts'

export type Use = 'read' | 'write'

/** Something that the model is told instead of a result. */
export class NotHere extends Error {}

const isWithin = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way === '' || (!way.startsWith('..') && !isAbsolute(way))
}

/** What the agent keeps for itself in its memory begins with a dot: other conversations are there too. */
const isKept = (path: string, memory: string): boolean => isWithin(memory, path) && relative(memory, path).startsWith('.')

const realOf = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || dirname(path) === path) throw error
    return join(await realOf(dirname(path)), basename(path))
  }
}

/** `/workspace/…`, `/memory/…`, `/mnt/…` and `/shared/…` as the model knows them; anything else is below the workspace. */
const spell = (path: string, places: Places): string => {
  const asked = normalize(path)
  for (const [name, place] of Object.entries(places) as [keyof Places, string][]) {
    if (asked === `/${name}` || asked.startsWith(`/${name}/`)) return join(place, asked.slice(name.length + 1))
  }
  return resolve(places.workspace, asked)
}

/** An absolute path without links. Rejects with `NotHere`. */
export const findPlace = async (path: string, use: Use, places: Places): Promise<string> => {
  const roots =
    use === 'read' ? [places.workspace, places.memory, places.mnt, places.shared] : [places.workspace, places.memory, places.mnt]
  const found = path.includes('\0') ? undefined : await realOf(spell(path, places)).catch(() => undefined)
  const real = await Promise.all(roots.map((root) => realOf(root)))
  const memory = await realOf(places.memory)
  if (found === undefined || !real.some((root) => isWithin(root, found)) || isKept(found, memory))
    throw new NotHere(
      `expected a path below ${use === 'read' ? '/workspace, /memory, /mnt or /shared' : '/workspace, /memory or /mnt'}, got ${path}`,
    )
  return found
}

/** The model's name for a path. */
export const nameOf = async (path: string, places: Places): Promise<string> => {
  for (const [name, place] of Object.entries(places) as [keyof Places, string][]) {
    const root = await realOf(place)
    if (isWithin(root, path)) return join(`/${name}`, relative(root, path))
  }
  return path
}

/** Never waits for the other end of a pipe. At most so many bytes, and how many there are. */
export const readStart = async (path: string, most: number): Promise<{ bytes: Buffer; size: number }> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const facts = await file.stat()
    if (!facts.isFile()) throw new NotHere(`expected a file, got ${facts.isDirectory() ? 'a directory' : 'something else'}`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(most, facts.size)), 0, Math.min(most, facts.size), 0)
    return { bytes: buffer.subarray(0, bytesRead), size: facts.size }
  } finally {
    await file.close()
  }
}
