// Reads paths that others can write, component by component from a directory of the unit. Follows no links, and reads only regular files
import { constants, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { fileKinds } from '@gatehouse/contracts'

/** What lies there is not what may be read. Names what was found. */
export class NotPlain extends Error {
  /** Whether the entry does not exist. */
  readonly missing: boolean

  constructor(message: string, { missing = false }: { readonly missing?: boolean } = {}) {
    super(message)
    this.missing = missing
  }
}

/** A handle on the thing itself that opens nothing: no pipe waits, no device wakes, no link leads on. Node has no name for it. */
const pathOnly = 0o10_000_000

/** Reads without waiting for the holder of a lease. */
const careful = constants.O_RDONLY | constants.O_NONBLOCK

export const entryOf = (directory: FileHandle, name: string): string => `/proc/self/fd/${directory.fd}/${name}`

export const kindOf = (found: Stats): (typeof fileKinds)[number] => {
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'directory'
  if (found.isSymbolicLink()) return 'link'
  if (found.isFIFO()) return 'pipe'
  return found.isSocket() ? 'socket' : 'device'
}

const refusalOf = (name: string, error: unknown): NotPlain => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'an error'
  return new NotPlain(`expected a plain file or directory at ${JSON.stringify(name)}, got ${code}`, {
    missing: code === 'ENOENT' || code === 'ENOTDIR',
  })
}

/** Throws `NotPlain` for what could lead out of the directory that it is looked up in. */
export const assertName = (name: string): void => {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) throw new NotPlain(`expected a name, got ${JSON.stringify(name)}`)
}

/** Throws `NotPlain` for whatever is no plain file or directory. */
export const openIn = async (directory: FileHandle, name: string): Promise<FileHandle> => {
  assertName(name)
  let seen: FileHandle | undefined
  try {
    seen = await open(entryOf(directory, name), pathOnly | constants.O_NOFOLLOW)
    const kind = kindOf(await seen.stat())
    if (kind !== 'file' && kind !== 'directory')
      throw new NotPlain(`expected a plain file or directory at ${JSON.stringify(name)}, got a ${kind}`)
    // The very thing that was looked at, whatever has its name by now.
    return await open(`/proc/self/fd/${seen.fd}`, careful)
  } catch (error) {
    throw error instanceof NotPlain ? error : refusalOf(name, error)
  } finally {
    await seen?.close()
  }
}

/** What lies below the root at these names, open: whoever asked closes it. */
export const reach = async (root: string, names: readonly string[]): Promise<FileHandle> => {
  let handle = await open(root, careful | constants.O_NOFOLLOW | constants.O_DIRECTORY)
  try {
    for (const name of names) {
      const next = await openIn(handle, name)
      await handle.close()
      handle = next
    }
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** `act` gets what lies below the root at these names; every handle is closed again. */
export const openBeneath = async <T>(root: string, names: readonly string[], act: (handle: FileHandle) => Promise<T>): Promise<T> => {
  const handle = await reach(root, names)
  try {
    return await act(handle)
  } finally {
    await handle.close()
  }
}

const readHandle = async (file: FileHandle, name: string, most: number): Promise<Buffer> => {
  const found = await file.stat()
  if (!found.isFile()) throw new NotPlain(`expected a plain file at ${JSON.stringify(name)}, got another kind`)
  if (found.nlink !== 1) throw new NotPlain(`expected one name of ${JSON.stringify(name)}, got ${found.nlink}`)
  if (found.size > most) throw new NotPlain(`expected at most ${most} bytes at ${JSON.stringify(name)}, got ${found.size}`)
  const content = Buffer.alloc(found.size)
  const { bytesRead } = await file.read(content, 0, found.size, 0)
  return content.subarray(0, bytesRead)
}

export const readPlain = (root: string, names: readonly string[], most: number): Promise<Buffer> =>
  openBeneath(root, names, (file) => readHandle(file, names.at(-1) ?? '', most))

export interface Allowance {
  files: number
  bytes: number
}

const spend = (allowance: Allowance, bytes: number): void => {
  allowance.files -= 1
  allowance.bytes -= bytes
  if (allowance.files < 0 || allowance.bytes < 0) throw new NotPlain('expected fewer files or bytes in all')
}

const copyIn = async (from: FileHandle, to: string, allowance: Allowance): Promise<void> => {
  for (const name of await readdir(`/proc/self/fd/${from.fd}`)) {
    const entry = await openIn(from, name)
    try {
      const target = join(to, name)
      if ((await entry.stat()).isDirectory()) {
        spend(allowance, 0)
        await mkdir(target)
        await copyIn(entry, target, allowance)
      } else {
        const content = await readHandle(entry, name, allowance.bytes)
        spend(allowance, content.byteLength)
        const file = await open(target, 'wx', 0o644)
        try {
          await file.writeFile(content)
        } finally {
          await file.close()
        }
      }
    } finally {
      await entry.close()
    }
  }
}

/** Into a directory that is there and empty. Throws `NotPlain` for whatever is no plain file or directory. */
export const copyPlain = (root: string, names: readonly string[], options: { to: string; allowance: Allowance }): Promise<void> =>
  openBeneath(root, names, (directory) => copyIn(directory, options.to, options.allowance))
