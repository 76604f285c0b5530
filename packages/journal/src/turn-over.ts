// How a journal goes on in a new file. After a crash between any two steps the files say by themselves how far it came:
// the new file is whole before it has the journal's name, and each name lasts before the next one is changed.
import { constants, lstatSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncPath } from '@gatehouse/kernel'
import { type Identity, sameFile, unwritable } from './guard.ts'
import { journalFlags } from './lines.ts'
import { nextPath } from './rotated.ts'

export interface Turned {
  readonly handle: FileHandle
  readonly identity: Identity
  /** False if the directory could not be synced at the end. */
  readonly lasting: boolean
}

const found = (path: string) => lstatSync(path, { bigint: true, throwIfNoEntry: false })

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

/** Throws with the names as they are, or with the old file under its new name: see `giveBack`. */
export const turnOver = async (path: string, to: string, bytes: Buffer): Promise<Turned> => {
  if (found(to) !== undefined)
    throw unwritable(`${to}: expected no file of this name yet, found one`, 'move it away; the journal goes on in its present file')
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

/** Undoes what `turnOver` did before it failed. Where the file lies if it could not be put back. */
export const giveBack = async (path: string, to: string, identity: Identity): Promise<string | undefined> => {
  await rm(nextPath(path), { force: true }).catch(() => {})
  const moved = found(to)
  if (moved === undefined || !sameFile(moved, identity)) return undefined
  return rename(to, path).then(
    () => undefined,
    () => to,
  )
}

/** Throws `audit-unwritable` until the present file has its name, for good. */
export const settleNames = async (path: string, astray: string | undefined): Promise<void> => {
  try {
    if (astray !== undefined && found(path) === undefined) await rename(astray, path)
    await syncPath(dirname(path))
  } catch (error) {
    throw unwritable(`${path}: the name of the journal cannot be made to last`, 'mend the disk; appending goes on by itself', error)
  }
}
