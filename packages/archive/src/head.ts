// Encodes and decodes tar headers. An entry whose header does not decode to the same values cannot be archived.
import { Header, Pax, ReadEntry } from 'tar'
import { broken, type Entry } from './entry.ts'

export const block = 512

const types = { directory: 'Directory', file: 'File', link: 'SymbolicLink' } as const
const kinds: Readonly<Record<string, Entry['type']>> = { Directory: 'directory', File: 'file', OldFile: 'file', SymbolicLink: 'link' }

/** The largest time that eleven octal digits can represent, in the year 2242. */
const maxSeconds = 0o77777777777

/** Clamps to whole seconds that every tar reader and file system accepts: an agent can set any file time. */
const clampTime = (time: Date): Date => new Date(Math.min(Math.max(Math.floor(time.getTime() / 1000) || 0, 0), maxSeconds) * 1000)

interface Head {
  readonly header: Buffer
  /** Present where the values do not fit into the header. */
  readonly extended: Buffer | undefined
}

const encode = (entry: Entry): Head => {
  const { path, mode, uid, gid, mtime, type } = entry
  const fields = {
    path,
    mode,
    uid,
    gid,
    mtime: clampTime(mtime),
    size: type === 'file' ? entry.size : 0,
    type: types[type],
    ...(type === 'link' && { linkpath: entry.target }),
  }
  const header = new Header(fields)
  header.encode()
  if (header.block === undefined) throw new Error(`${path}: cannot encode a tar header`)
  return { header: header.block, extended: header.needPax ? new Pax(fields).encode() : undefined }
}

export const encodeHeaders = (entry: Entry): Buffer[] => {
  const { header, extended } = encode(entry)
  return extended === undefined ? [header] : [extended, header]
}

/** Throws a `Refusal` for an entry that is not a file, directory or link. */
export const toEntry = (read: ReadEntry): Entry => {
  const type = kinds[read.type]
  const path = read.path.replace(/\/$/, '')
  if (type === undefined) throw broken(`${JSON.stringify(path.slice(0, 200))} is of type ${read.type}, which is not allowed`)
  const common = { path, mode: read.mode ?? 0, uid: read.uid ?? 0, gid: read.gid ?? 0, mtime: clampTime(read.mtime ?? new Date(0)) }
  if (type === 'link') return { ...common, type, target: read.linkpath ?? '' }
  return type === 'file' ? { ...common, type, size: read.size, body: read } : { ...common, type }
}

const readExtendedBody = (extended: Buffer): string => {
  const { size = 0 } = new Header(extended)
  return extended.toString('utf8', block, block + size)
}

/** False, for example, for a name with a line break in an extended header, which is a list of lines. */
export const isReadAsWritten = (entry: Entry): boolean => {
  const { header, extended } = encode(entry)
  const fields = extended === undefined ? undefined : Pax.parse(readExtendedBody(extended), undefined)
  const read = toEntry(new ReadEntry(new Header(header, 0, fields), fields))
  const describe = (one: Entry): string =>
    JSON.stringify([one.path, one.type, one.mode, one.uid, one.gid, one.type === 'file' ? one.size : one.type === 'link' ? one.target : ''])
  return describe(read) === describe(entry)
}
