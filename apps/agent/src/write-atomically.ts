// Replaces a file atomically: the new content is on disk before it resolves, and never only a part of it.
import { open, rename, rm } from 'node:fs/promises'

const write = async (path: string, content: string): Promise<void> => {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Says what to do, since nobody inside can make room but by deleting. */
class DiskFull extends Error {
  constructor(cause: unknown) {
    super('the disk of this group is full: delete files, or ask for a larger limit workspaceMiB by a change of permissions', { cause })
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/** What was half written goes again: it would take the last room there is. */
export const writeAtomically = async (path: string, content: string): Promise<void> => {
  const fresh = `${path}.new`
  try {
    await write(fresh, content)
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined)
    throw isFull(error) ? new DiskFull(error) : error
  }
}
