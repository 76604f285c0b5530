// A state directory that is filled in place: root's alone while root writes to it. Whoever it is of may still run, and
// would put links where root is about to write.
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

/** Nobody else gives a directory this mode. It stays where a restore is killed and what it wrote is then removed. */
const takenMode = 0o1700

const modeOf = ({ mode }: Stats): number => mode & 0o7777

const isTaken = (there: Stats): boolean => there.uid === 0 && modeOf(there) === takenMode

/** Says whom the directory is to be given to, for the case that the restore is killed. */
export const workingNameFor = (owner: Owner | undefined): string =>
  `${restoringPrefix}${owner === undefined ? randomBytes(6).toString('hex') : `${owner.uid}-${owner.gid}`}`

const ownerIn = (name: string): string | undefined =>
  name.startsWith(restoringPrefix) ? /^([1-9]\d*)-(\d+)$/.exec(name.slice(restoringPrefix.length))?.slice(1).join(':') : undefined

/** What to do where a killed restore has taken the directory; undefined: none has. */
export const giveBackHint = (stateDir: string, there: Stats, names: readonly string[]): string | undefined => {
  if (!isTaken(there)) return undefined
  const owner = names.map((name) => ownerIn(name)).find((one) => one !== undefined)
  const chown =
    owner === undefined ? `chown UID:${there.gid} ${stateDir}, with the uid that the unit runs as` : `chown ${owner} ${stateDir}`
  return `a restore was killed before it gave ${stateDir} back to its owner: ${names.length === 0 ? '' : 'empty it, '}run ${chown}, and restore the archive again`
}

/** An empty one that would be given to somebody else than it was of. */
export const refuseTaken = (stateDir: string, there: Stats): void => {
  const hint = giveBackHint(stateDir, there, [])
  if (hint === undefined) return
  throw new Refusal(exits.configuration, { detail: `expected ${stateDir} to belong to whom the unit is of, got one of root`, hint })
}

/** Undefined: whoever restores is not root, or the directory is root's already. */
export const ownerToReturn = (there: Stats | undefined): Owner | undefined =>
  process.getuid?.() === 0 && there !== undefined && there.uid !== 0 ? { uid: there.uid, gid: there.gid } : undefined

const take = async (directory: FileHandle, there: Stats): Promise<void> => {
  // The owner first: it could change the mode again. The group has no rights, and tells whose the directory was.
  await directory.chown(0, there.gid)
  await directory.chmod(there.uid === 0 ? 0o700 : takenMode)
}

/** Runs `act` while nobody but root can reach what is in the directory. As anybody else: runs it. */
export const whileRoots = async <T>(stateDir: string, act: () => Promise<T>): Promise<T> => {
  if (process.getuid?.() !== 0) return act()
  await using directory = await open(stateDir, constants.O_RDONLY | constants.O_DIRECTORY)
  const there = await directory.stat()
  await take(directory, there)
  try {
    return await act()
  } finally {
    await directory.chown(there.uid, there.gid)
    await directory.chmod(modeOf(there) === takenMode ? 0o700 : modeOf(there))
  }
}
