// What stands before the bytes of an entry, as it is written and as it is read: what the two do not make the same of
// cannot be archived.
import { Header, Pax, ReadEntry } from 'tar'
import { broken, type Entry } from './entry.ts'

export const block = 512

const types = { directory: 'Directory', file: 'File', link: 'SymbolicLink' } as const
const kinds: Readonly<Record<string, Entry['type']>> = { Directory: 'directory', File: 'file', OldFile: 'file', SymbolicLink: 'link' }

/** The last second that eleven octal digits tell, of the year 2242. */
const latest = 0o77777777777

/** Whole seconds that every reader of archives and every file system bears: an agent can give a file any time. */
const bearable = (time: Date): Date => new Date(Math.min(Math.max(Math.floor(time.getTime() / 1000) || 0, 0), latest) * 1000)

interface Head {
  readonly header: Buffer
  /** Where the header has no room for all. */
  readonly extended: Buffer | undefined
}

const encode = (entry: Entry): Head => {
  const { path, mode, uid, gid, mtime, type } = entry
  const fields = {
    path,
    mode,
    uid,
    gid,
    mtime: bearable(mtime),
    size: type === 'file' ? entry.size : 0,
    type: types[type],
    ...(type === 'link' && { linkpath: entry.target }),
  }
  const header = new Header(fields)
  header.encode()
  if (header.block === undefined) throw new Error(`${path}: a header could not be made`)
  return { header: header.block, extended: header.needPax ? new Pax(fields).encode() : undefined }
}

export const headOf = (entry: Entry): Buffer[] => {
  const { header, extended } = encode(entry)
  return extended === undefined ? [header] : [extended, header]
}

/** A `Refusal` for what is neither file, directory nor link. */
export const toEntry = (read: ReadEntry): Entry => {
  const type = kinds[read.type]
  const path = read.path.replace(/\/$/, '')
  if (type === undefined)
    throw broken(`expected files and directories, got ${JSON.stringify(path.slice(0, 200))}, which is of type ${read.type}`)
  const common = { path, mode: read.mode ?? 0, uid: read.uid ?? 0, gid: read.gid ?? 0, mtime: bearable(read.mtime ?? new Date(0)) }
  if (type === 'link') return { ...common, type, target: read.linkpath ?? '' }
  return type === 'file' ? { ...common, type, size: read.size, body: read } : { ...common, type }
}

const bodyOfExtended = (extended: Buffer): string => {
  const { size = 0 } = new Header(extended)
  return extended.toString('utf8', block, block + size)
}

/** False for a name with a line end, say, where that stands in an extended header, which is made of lines. */
export const isReadAsWritten = (entry: Entry): boolean => {
  const { header, extended } = encode(entry)
  const fields = extended === undefined ? undefined : Pax.parse(bodyOfExtended(extended), undefined)
  const read = toEntry(new ReadEntry(new Header(header, 0, fields), fields))
  const told = (one: Entry): string =>
    JSON.stringify([one.path, one.type, one.mode, one.uid, one.gid, one.type === 'file' ? one.size : one.type === 'link' ? one.target : ''])
  return told(read) === told(entry)
}
