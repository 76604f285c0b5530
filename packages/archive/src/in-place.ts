// Fills a state directory in place. While root writes to it, only root can access it: a process of the owner may still run and could
// create links where root is about to write.
import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { chmod, type FileHandle, lchown, mkdir, open, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { Refusal, restoringPrefix } from '@gatehouse/kernel'
import type { Entry } from './entry.ts'

export interface Owner {
  readonly uid: number
  readonly gid: number
}

export interface Target {
  readonly directory: string
  /** Undefined: files belong to the user who restores. */
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

/** Links must be written last, so that none can be followed. */
export const writeEntry = async ({ directory, ownerOf }: Target, entry: Entry): Promise<void> => {
  const path = join(directory, entry.path)
  if (entry.type === 'directory') await mkdir(path, { mode: 0o700 })
  else if (entry.type === 'file') await writeFile(path, entry)
  else await symlink(entry.target, path)
  const owner = ownerOf?.(entry)
  if (owner !== undefined) await lchown(path, owner.uid, owner.gid)
}

/** Sets the modes of directories, deepest first, after everything is written. */
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

/** Marks a directory during a restore. No other program uses this mode; it remains if the restore is killed. */
const lockedMode = 0o1700

const modeOf = ({ mode }: Stats): number => mode & 0o7777

const isLocked = (stats: Stats): boolean => stats.uid === 0 && modeOf(stats) === lockedMode

/** The name of the working directory. It contains the owner of the state directory, in case the restore is killed. */
export const workingNameFor = (owner: Owner | undefined): string =>
  `${restoringPrefix}${owner === undefined ? randomBytes(6).toString('hex') : `${owner.uid}-${owner.gid}`}`

const parseOwner = (name: string): string | undefined =>
  name.startsWith(restoringPrefix) ? /^([1-9]\d*)-(\d+)$/.exec(name.slice(restoringPrefix.length))?.slice(1).join(':') : undefined

/** The hint for a directory that a killed restore left to root; undefined for other directories. */
export const ownerHint = (stateDir: string, stats: Stats, names: readonly string[]): string | undefined => {
  if (!isLocked(stats)) return undefined
  const owner = names.map((name) => parseOwner(name)).find((one) => one !== undefined)
  const chown =
    owner === undefined ? `chown UID:${stats.gid} ${stateDir}, with the uid that the unit runs as` : `chown ${owner} ${stateDir}`
  return `a restore was killed before it returned ${stateDir} to its owner: ${names.length === 0 ? '' : 'empty it, '}run ${chown}, and restore the archive again`
}

/** Throws a `Refusal` for an empty directory that a killed restore left to root. */
export const refuseLocked = (stateDir: string, stats: Stats): void => {
  const hint = ownerHint(stateDir, stats, [])
  if (hint === undefined) return
  throw new Refusal(exits.configuration, { detail: `${stateDir} belongs to root instead of the user of the unit`, hint })
}

/** Undefined if this process is not root or the directory belongs to root. */
export const ownerToReturn = (stats: Stats | undefined): Owner | undefined =>
  process.getuid?.() === 0 && stats !== undefined && stats.uid !== 0 ? { uid: stats.uid, gid: stats.gid } : undefined

const lock = async (directory: FileHandle, stats: Stats): Promise<void> => {
  // The owner first, because the old owner could change the mode again. The group has no permissions and records the former owner.
  await directory.chown(0, stats.gid)
  await directory.chmod(stats.uid === 0 ? 0o700 : lockedMode)
}

/** As root, runs `act` while only root can access the directory. As another user, only runs it. */
export const withRootOnly = async <T>(stateDir: string, act: () => Promise<T>): Promise<T> => {
  if (process.getuid?.() !== 0) return act()
  await using directory = await open(stateDir, constants.O_RDONLY | constants.O_DIRECTORY)
  const stats = await directory.stat()
  await lock(directory, stats)
  try {
    return await act()
  } finally {
    await directory.chown(stats.uid, stats.gid)
    await directory.chmod(modeOf(stats) === lockedMode ? 0o700 : modeOf(stats))
  }
}
