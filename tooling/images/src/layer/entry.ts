// What a layer is made of: directories and files, each with owner and mode of its own.
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

interface Place {
  /** In the image, without a leading slash. */
  readonly path: string
  readonly mode: number
  /** uid and gid, default root's. */
  readonly owner?: number
}

export interface DirectoryEntry extends Place {
  readonly kind: 'directory'
}
export interface FileEntry extends Place {
  readonly kind: 'file'
  readonly content: { readonly source: string } | { readonly text: string }
}
export type Entry = DirectoryEntry | FileEntry

export const directory = (path: string, mode = 0o755, owner = 0): DirectoryEntry => ({ kind: 'directory', path, mode, owner })
export const copy = (source: string, path: string, mode = 0o644): FileEntry => ({ kind: 'file', path, mode, content: { source } })
export const text = (path: string, content: string, mode = 0o644): FileEntry => ({ kind: 'file', path, mode, content: { text: content } })

/** What lies in a directory of this machine; readable by all, whatever the umask was. Names with a leading dot are notes of a build. */
export const entriesBelow = async (root: string, prefix: string): Promise<Entry[]> => {
  const found = await readdir(root, { recursive: true, withFileTypes: true })
  return found
    .filter(({ name }) => !name.startsWith('.'))
    .map((one) => {
      const source = join(one.parentPath, one.name)
      const path = join(prefix, source.slice(root.length + 1))
      if (one.isDirectory()) return directory(path)
      if (one.isFile()) return copy(source, path)
      throw new TypeError(`expected files and directories alone in ${root}, got ${source}`)
    })
}

/** With every directory on the way, in the order of their paths, each once. */
export const complete = (entries: readonly Entry[]): Entry[] => {
  const known = new Map<string, Entry>()
  const addParents = (path: string): void => {
    const parent = dirname(path)
    if (parent === '.' || known.has(parent)) return
    addParents(parent)
    known.set(parent, directory(parent))
  }
  for (const entry of entries) addParents(entry.path)
  for (const entry of entries) known.set(entry.path, entry)
  return [...known.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
