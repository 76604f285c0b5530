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

/** Tells the agent what it can do: inside the sandbox only deleting files frees space. */
class DiskFull extends Error {
  constructor(cause: unknown) {
    super('the disk of this group is full: delete files, or request a change of permissions with a larger limit workspaceMiB', { cause })
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/** Removes a partly written file, which would take up the remaining space. */
export const writeAtomically = async (path: string, content: string): Promise<void> => {
  const temporary = `${path}.new`
  try {
    await write(temporary, content)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw isFull(error) ? new DiskFull(error) : error
  }
}
