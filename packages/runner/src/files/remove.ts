// Removes one entry of a directory of a group for people: a file, link, pipe, socket, device or an empty directory.
import { type FileHandle, lstat, opendir, rmdir, unlink } from 'node:fs/promises'
import { type Params, type Result, type runnerControlPlane, ServiceError } from '@gatehouse/contracts'
import { assertName, entryOf, kindOf, NotPlain, openBeneath, openIn } from '../safe-fs.ts'
import { codeOf, namesIn, placeOf, refusing, type Where } from './refusal.ts'

type Edge = typeof runnerControlPlane
type Kind = Result<Edge, 'fileFind'>['kind']
type Unit = { readonly stateDir: string }

interface Entry {
  /** Kept open, so that it stays the same directory whatever happens to its path. */
  readonly directory: FileHandle
  readonly name: string
}

/** Checks the entry itself, not the target of a link. */
const atEntry = <T>(context: Unit, where: Where, act: (entry: Entry, kind: Kind) => Promise<T>): Promise<T> =>
  refusing(where.path, () => {
    const names = namesIn(where.path)
    const name = names.pop() ?? ''
    assertName(name)
    return openBeneath(placeOf(context, where), names, async (directory) => {
      if (!(await directory.stat()).isDirectory()) throw new NotPlain('expected a directory, got a file', { missing: true })
      return act({ directory, name }, kindOf(await lstat(entryOf(directory, name))))
    })
  })

const holding = (path: string): ServiceError =>
  new ServiceError('conflict', {
    detail: `expected an empty directory at ${JSON.stringify(path)}, got one that holds something`,
    hint: 'remove its content first',
  })

const moved = (path: string): ServiceError =>
  new ServiceError('conflict', { detail: `${JSON.stringify(path)} was replaced during the operation`, hint: 'list the directory' })

/** What cannot be looked into may be empty: whoever removes it finds out. */
const holds = async ({ directory, name }: Entry): Promise<boolean> => {
  const below = await openIn(directory, name).catch(() => undefined)
  if (below === undefined) return false
  try {
    for await (const _ of await opendir(`/proc/self/fd/${below.fd}`, { bufferSize: 1 })) return true
    return false
  } finally {
    await below.close()
  }
}

export const findFile = (context: Unit, wanted: Params<Edge, 'fileFind'>): Promise<Result<Edge, 'fileFind'>> =>
  atEntry(context, wanted, async (entry, kind) => {
    if (kind === 'directory' && (await holds(entry))) throw holding(wanted.path)
    return { kind }
  })

/** Neither act follows a link at its end, and each refuses what is the other's. */
const take = async ({ directory, name }: Entry, { kind, path }: { readonly kind: Kind; readonly path: string }): Promise<void> => {
  try {
    await (kind === 'directory' ? rmdir : unlink)(entryOf(directory, name))
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOTEMPTY' || code === 'EEXIST') throw holding(path)
    if (code === 'EISDIR' || code === 'ENOTDIR') throw moved(path)
    throw error
  }
  await directory.sync()
}

export const removeFile = (context: Unit, wanted: Params<Edge, 'fileRemove'>): Promise<Record<string, never>> =>
  atEntry(context, wanted, async (entry, kind) => {
    if (kind !== wanted.kind) throw moved(wanted.path)
    await take(entry, wanted)
    return {}
  })
