// Rotates a journal file. After a crash between any two steps the files show how far the rotation got: the new file is complete before
// it gets the journal's name, and each rename is durable before the next one.
import { constants, lstatSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncPath } from '@gatehouse/kernel'
import { type Identity, isSameFile, unwritable } from './guard.ts'
import { journalFlags } from './lines.ts'
import { nextPath } from './rotated.ts'

export interface RotatedFile {
  readonly handle: FileHandle
  readonly identity: Identity
  /** False if the last sync of the directory failed. */
  readonly lasting: boolean
}

const readStats = (path: string) => lstatSync(path, { bigint: true, throwIfNoEntry: false })

const prepare = async (path: string, bytes: Buffer): Promise<FileHandle> => {
  await rm(path, { force: true })
  const handle = await open(path, journalFlags | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    await handle.chmod(0o600)
    await handle.appendFile(bytes)
    await handle.sync()
    await syncPath(dirname(path))
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** On failure the names are unchanged or the old file already has its new name; `undoRotation` handles both. */
export const rotateFile = async (path: string, to: string, bytes: Buffer): Promise<RotatedFile> => {
  if (readStats(to) !== undefined)
    throw unwritable(`${to}: a file of this name exists already`, 'move it away; the journal stays in its current file')
  const next = nextPath(path)
  const handle = await prepare(next, bytes)
  try {
    await rename(path, to)
    await syncPath(dirname(path))
    await rename(next, path)
  } catch (error) {
    await handle.close()
    throw error
  }
  const lasting = await syncPath(dirname(path)).then(
    () => true,
    () => false,
  )
  const { dev, ino } = await handle.stat({ bigint: true })
  return { handle, identity: { dev, ino }, lasting }
}

/** Undoes a failed `rotateFile`. Resolves to the path of the old file if it could not be renamed back. */
export const undoRotation = async (path: string, to: string, identity: Identity): Promise<string | undefined> => {
  await rm(nextPath(path), { force: true }).catch(() => {})
  const moved = readStats(to)
  if (moved === undefined || !isSameFile(moved, identity)) return undefined
  return rename(to, path).then(
    () => undefined,
    () => to,
  )
}

/** Rejects with `audit-unwritable` until the current file durably has its name. */
export const restoreNames = async (path: string, astray: string | undefined): Promise<void> => {
  try {
    if (astray !== undefined && readStats(path) === undefined) await rename(astray, path)
    await syncPath(dirname(path))
  } catch (error) {
    throw unwritable(`${path}: cannot sync the name of the journal to disk`, 'repair the disk; appends resume automatically', error)
  }
}
