// Local files and paths of an agent group: read within a limit, written beside the name and renamed, never over another file unasked.
import { randomBytes } from 'node:crypto'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type FilePlace, filePlaces, limits, ServiceError } from '@gatehouse/contracts'

const reasonOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'an error')

/** Throws before anything is sent. */
export const readLocal = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
  try {
    const found = await stat(path)
    if (!found.isFile())
      throw new ServiceError('invalid', {
        detail: `expected a file at ${path}, got another kind`,
        hint: 'pack a directory first, such as with tar',
      })
    if (found.size > limits.file) {
      throw new ServiceError('too-large', {
        detail: `expected a file of at most ${limits.file / 1024 / 1024} MiB, ${path} has ${found.size} bytes`,
        hint: 'give it in parts',
      })
    }
    const file = await open(path, 'r')
    try {
      return new Uint8Array(await file.readFile())
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('invalid', {
      detail: `expected a file at ${path} that can be read, got ${reasonOf(error)}`,
      hint: 'check the path',
    })
  }
}

const there = (path: string): ServiceError =>
  new ServiceError('conflict', { detail: `expected no file at ${path}, there is one`, hint: 'choose another --out, or add --force' })

/** Asked before a file is fetched in vain. */
export const refuseTaken = async (path: string, force: boolean): Promise<void> => {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true)
    throw new ServiceError('invalid', {
      detail: `expected the name of a file, ${path} is a directory`,
      hint: 'add the name of the file to --out',
    })
  if (found !== undefined && !force) throw there(path)
}

/** Whole or not at all. */
export const writeLocal = async (path: string, bytes: Uint8Array, force: boolean): Promise<void> => {
  const part = join(dirname(path), `.${randomBytes(6).toString('hex')}.part`)
  try {
    const file = await open(part, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    // A link fails where something has the name, a rename does not.
    if (force) await rename(part, path)
    else await link(part, path)
  } catch (error) {
    if (reasonOf(error) === 'EEXIST') throw there(path)
    throw new ServiceError('invalid', {
      detail: `expected a place for a file at ${path}, got ${reasonOf(error)}`,
      hint: 'choose another --out',
    })
  } finally {
    await rm(part, { force: true })
  }
}

/** Paths as people write them, as an agent sees them: /workspace/…, /memory/…, or below the workspace. */
export interface Located {
  readonly place: FilePlace
  readonly path: string
}

/** A name may be written with a slash behind it. */
export const locate = (written: string): Located => {
  const trimmed = written.replace(/\/+$/, '').replace(/^\.\//, '')
  if (!trimmed.startsWith('/')) return { place: 'workspace', path: trimmed === '.' ? '' : trimmed }
  const [, first = '', ...rest] = trimmed.split('/')
  const place = filePlaces.find((name) => name === first)
  if (place !== undefined) return { place, path: rest.join('/') }
  throw new ServiceError('invalid', {
    detail: 'expected a path below /workspace or /memory, as the agent sees it, got another',
    hint: 'such as /workspace/report.md, or report.md for the same',
  })
}

export const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
