// The directories that built-in tools may read and write; every other path is refused.
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, normalize, relative, resolve } from 'node:path'
import type { Places } from './own.ts'

export type Use = 'read' | 'write'

/** A refusal whose message is shown to the model. */
export class PathRefused extends Error {}

const isWithin = (root: string, path: string): boolean => {
  const relativePath = relative(root, path)
  return relativePath === '' || (!relativePath.startsWith('..') && !isAbsolute(relativePath))
}

/** Internal files of the agent in its memory, which begin with a dot. They include other conversations. */
const isInternal = (path: string, memory: string): boolean => isWithin(memory, path) && relative(memory, path).startsWith('.')

const resolveLinks = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || dirname(path) === path) throw error
    return join(await resolveLinks(dirname(path)), basename(path))
  }
}

/** Maps `/workspace/…`, `/memory/…`, `/mnt/…` and `/shared/…` to their directories. Other paths are below the workspace. */
const toHostPath = (path: string, places: Places): string => {
  const normalized = normalize(path)
  for (const [name, place] of Object.entries(places) as [keyof Places, string][]) {
    if (normalized === `/${name}` || normalized.startsWith(`/${name}/`)) return join(place, normalized.slice(name.length + 1))
  }
  return resolve(places.workspace, normalized)
}

/** Resolves a path of the model to an absolute path without links. Rejects with `PathRefused`. */
export const resolvePath = async (path: string, use: Use, places: Places): Promise<string> => {
  const roots =
    use === 'read' ? [places.workspace, places.memory, places.mnt, places.shared] : [places.workspace, places.memory, places.mnt]
  const resolved = path.includes('\0') ? undefined : await resolveLinks(toHostPath(path, places)).catch(() => undefined)
  const real = await Promise.all(roots.map((root) => resolveLinks(root)))
  const memory = await resolveLinks(places.memory)
  if (resolved === undefined || !real.some((root) => isWithin(root, resolved)) || isInternal(resolved, memory))
    throw new PathRefused(
      `the path must be below ${use === 'read' ? '/workspace, /memory, /mnt or /shared' : '/workspace, /memory or /mnt'} (got ${path})`,
    )
  return resolved
}

/** The model's name for a path. */
export const toModelPath = async (path: string, places: Places): Promise<string> => {
  for (const [name, place] of Object.entries(places) as [keyof Places, string][]) {
    const root = await resolveLinks(place)
    if (isWithin(root, path)) return join(`/${name}`, relative(root, path))
  }
  return path
}

/** Reads at most `maxBytes` from the start of a file, and its size. Does not block on a pipe. */
export const readStart = async (path: string, maxBytes: number): Promise<{ bytes: Buffer; size: number }> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const status = await file.stat()
    if (!status.isFile()) throw new PathRefused(`not a regular file${status.isDirectory() ? ' but a directory' : ''}`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(maxBytes, status.size)), 0, Math.min(maxBytes, status.size), 0)
    return { bytes: buffer.subarray(0, bytesRead), size: status.size }
  } finally {
    await file.close()
  }
}
