// Lists a directory of a group with the actual names and types. Links are not followed, and only directories are opened.
import type { Dirent } from 'node:fs'
import { type FileHandle, lstat, opendir } from 'node:fs/promises'
import { type FileItem, type FileList, limits, type Params, type runnerControlPlane, Time } from '@gatehouse/contracts'
import * as v from 'valibot'
import { entryOf, kindOf, NotPlain, openBeneath } from '../safe-fs.ts'
import { namesIn, placeOf, refusing } from './refusal.ts'

type Wanted = Params<typeof runnerControlPlane, 'fileList'>

interface Names {
  readonly names: Buffer[]
  readonly truncated: boolean
}

const readNames = async (directory: FileHandle): Promise<Names> => {
  const names: Buffer[] = []
  // The types of Node know names as text alone.
  const entries: AsyncIterable<Dirent | Dirent<Buffer>> = await opendir(`/proc/self/fd/${directory.fd}`, {
    encoding: 'buffer' as BufferEncoding,
    bufferSize: 1024,
  })
  for await (const { name } of entries) {
    if (names.length === limits.fileEntries) return { names: names.toSorted((a, b) => Buffer.compare(a, b)), truncated: true }
    names.push(Buffer.from(name))
  }
  return { names: names.toSorted((a, b) => Buffer.compare(a, b)), truncated: false }
}

const latest = Date.parse('9999-12-31T23:59:59.999Z')
/** An agent can set any time, including ones that cannot be formatted. */
const timeOf = (ms: number): FileItem['modifiedAt'] =>
  v.parse(Time, new Date(Number.isFinite(ms) ? Math.min(Math.max(ms, 0), latest) : 0).toISOString())

const isText = (name: Buffer): boolean => Buffer.from(name.toString('utf8')).equals(name)

const itemOf = async (directory: FileHandle, name: Buffer): Promise<FileItem[]> => {
  try {
    const found = await lstat(Buffer.concat([Buffer.from(entryOf(directory, '')), name]))
    const kind = kindOf(found)
    const plain = kind === 'directory' || (kind === 'file' && found.nlink === 1 && found.size <= limits.file)
    const shown = { name: name.toString('utf8'), kind, size: kind === 'file' ? found.size : 0, modifiedAt: timeOf(found.mtimeMs) }
    return [{ ...shown, readable: plain && isText(name) }]
  } catch {
    // The file was removed during the listing.
    return []
  }
}

const after = ({ names }: Names, cursor: string | undefined): Buffer[] => {
  if (cursor === undefined) return names
  const last = Buffer.from(cursor, 'base64url')
  return names.filter((name) => Buffer.compare(name, last) > 0)
}

const pageOf = async (directory: FileHandle, wanted: Wanted): Promise<FileList> => {
  if (!(await directory.stat()).isDirectory()) throw new NotPlain(`expected a directory at ${JSON.stringify(wanted.path)}, got a file`)
  const found = await readNames(directory)
  const rest = after(found, wanted.after)
  const page = rest.slice(0, wanted.limit)
  const items = (await Promise.all(page.map((name) => itemOf(directory, name)))).flat()
  const last = page.at(-1)
  return {
    items,
    ...(rest.length > page.length && last !== undefined && { nextCursor: last.toString('base64url') }),
    ...(found.truncated && { truncated: true }),
  }
}

/** The directories of a group that never ran are empty. */
export const listFiles = (context: { readonly stateDir: string }, wanted: Wanted): Promise<FileList> =>
  refusing(wanted.path, async () => {
    try {
      return await openBeneath(placeOf(context, wanted), namesIn(wanted.path), (directory) => pageOf(directory, wanted))
    } catch (error) {
      const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (absent && wanted.path === '') return { items: [] }
      throw error
    }
  })
