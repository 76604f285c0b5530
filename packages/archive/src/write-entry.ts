// Puts one entry of a checked archive below a directory that nobody else can write to.
import { chmod, lchown, mkdir, open, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Entry } from './entry.ts'

export interface Owner {
  readonly uid: number
  readonly gid: number
}

export interface Target {
  readonly directory: string
  /** Undefined: whoever restores. */
  readonly ownerOf: ((entry: Entry) => Owner) | undefined
}

const writeFile = async (path: string, entry: Entry & { readonly type: 'file' }): Promise<void> => {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of entry.body) await file.writeFile(chunk)
    await file.chmod(entry.mode)
    await file.utimes(entry.mtime, entry.mtime)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Links are made last of all, so that none can be followed. */
export const writeEntry = async ({ directory, ownerOf }: Target, entry: Entry): Promise<void> => {
  const path = join(directory, entry.path)
  if (entry.type === 'directory') await mkdir(path, { mode: 0o700 })
  else if (entry.type === 'file') await writeFile(path, entry)
  else await symlink(entry.target, path)
  const owner = ownerOf?.(entry)
  if (owner !== undefined) await lchown(path, owner.uid, owner.gid)
}

/** Modes of directories, the deepest first, when everything lies in them. */
export const finishDirectories = async ({ directory }: Target, entries: readonly Entry[]): Promise<void> => {
  for (const { path, mode } of entries.toReversed()) {
    const at = join(directory, path)
    const handle = await open(at, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
    await chmod(at, mode)
  }
}
