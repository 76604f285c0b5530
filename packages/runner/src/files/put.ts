// Writes a file of a group atomically: to a temporary name beside it, then renamed.
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { type HostIdentity, limits, ServiceError } from '@gatehouse/contracts'
import { entryOf, kindOf, NotPlain, openBeneath, openIn } from '../safe-fs.ts'
import { usageIn } from './count.ts'
import { isFull, freeSpaceHint, namesIn, noSpace, noSpaceInGroup } from './refusal.ts'
import type { Upload } from './uploads.ts'

export interface Target {
  /** Directory of the place on the host. */
  readonly root: string
  readonly owner: HostIdentity | undefined
  /** MiB that the place may hold. */
  readonly most: number
}

/** An existing entry must be a regular file, so that nothing else is replaced. */
export const checkTarget = async (root: string, path: string): Promise<void> => {
  const names = namesIn(path)
  try {
    await openBeneath(root, names, async (found) => {
      if (!(await found.stat()).isFile()) throw new NotPlain(`expected a plain file or nothing at ${JSON.stringify(path)}, got a directory`)
    })
  } catch (error) {
    if (!(error instanceof NotPlain && error.missing)) throw error
  }
}

const checkRoom = async ({ root, most }: Target, bytes: number): Promise<void> => {
  const held = await usageIn(root)
  if (held.bytes + bytes <= most * 1024 * 1024 && held.entries < limits.fileEntries && held.beyond === undefined) return
  const holds = held.beyond ?? `${held.bytes} bytes in ${held.entries} entries`
  throw new ServiceError('too-large', {
    detail: `expected room for ${bytes} bytes in the ${most} MiB of this group, it holds ${holds}`,
    hint: freeSpaceHint,
  })
}

const give = async (handle: FileHandle, owner: HostIdentity | undefined): Promise<void> => {
  if (owner !== undefined) await handle.chown(owner.uid, owner.gid)
}

/** The directory of this name, made if there is none. */
const enter = async (parent: FileHandle, name: string, owner: HostIdentity | undefined): Promise<FileHandle> => {
  const made = await mkdir(entryOf(parent, name), 0o700).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
  const directory = await openIn(parent, name)
  try {
    if (!(await directory.stat()).isDirectory()) throw new NotPlain(`expected a directory at ${JSON.stringify(name)}, got a file`)
    if (made) await give(directory, owner)
    return directory
  } catch (error) {
    await directory.close()
    throw error
  }
}

const copy = async ({ file, bytes }: Upload, directory: FileHandle, { part, owner }: { part: string; owner: HostIdentity | undefined }) => {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  const target = await open(entryOf(directory, part), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await give(target, owner)
    const chunk = Buffer.alloc(limits.filePart)
    for (let at = 0; at < bytes; at += chunk.length) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
      await target.writeFile(chunk.subarray(0, bytesRead))
    }
    await target.sync()
    return (await target.stat()).ino
  } finally {
    await target.close()
  }
}

const settle = async (upload: Upload, directory: FileHandle, { name, owner }: { name: string; owner: HostIdentity | undefined }) => {
  const part = `.${randomBytes(9).toString('hex')}.part`
  try {
    const inode = await copy(upload, directory, { part, owner })
    await rename(entryOf(directory, part), entryOf(directory, name))
    await directory.sync()
    const found = await lstat(entryOf(directory, name))
    if (found.ino !== inode) throw new NotPlain(`expected the file at ${JSON.stringify(name)}, got another ${kindOf(found)} in its place`)
  } catch (error) {
    await rm(entryOf(directory, part), { force: true }).catch(() => undefined)
    throw error
  }
}

/** The upload is on the disk of the unit; the group may have a separate one. */
const toFull = async ({ file }: Upload, root: FileHandle, error: unknown): Promise<unknown> => {
  if (!isFull(error)) return error
  const ofUnit = (await root.stat()).dev === (await file.stat()).dev
  return ofUnit ? noSpace(error) : noSpaceInGroup(error)
}

/** Directories on the way are made. */
export const putFile = async (upload: Upload, target: Target): Promise<void> => {
  await checkRoom(target, upload.bytes)
  await checkTarget(target.root, upload.path)
  const names = namesIn(upload.path)
  const name = names.pop() ?? ''
  await openBeneath(target.root, [], async (root) => {
    const held: FileHandle[] = []
    try {
      let directory = root
      for (const step of names) {
        directory = await enter(directory, step, target.owner)
        held.push(directory)
      }
      await settle(upload, directory, { name, owner: target.owner })
    } catch (error) {
      throw await toFull(upload, root, error)
    } finally {
      for (const directory of held) await directory.close()
    }
  })
}
