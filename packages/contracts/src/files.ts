// Files of an agent group that people upload, download and list.
import * as v from 'valibot'
import { Time } from './ids.ts'
import { visible } from './json.ts'
import { limits } from './limits.ts'

/** Directories that the sandboxes of a group may write. */
export const filePlaces = ['workspace', 'memory'] as const
export const FilePlace = v.picklist(filePlaces)
export type FilePlace = v.InferOutput<typeof FilePlace>

export const fileKinds = ['file', 'directory', 'link', 'pipe', 'socket', 'device'] as const

const isName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !name.includes('\0')
const splitPath = (path: string): string[] => (path === '' ? [] : path.split('/'))

const Names = v.pipe(
  v.string(),
  v.maxBytes(limits.filePath, 'expected a path of at most 4096 bytes'),
  v.check((path) => path.isWellFormed(), 'expected a path in Unicode'),
  v.check((path) => splitPath(path).every(isName), 'expected names separated by single slashes, without . and ..'),
  v.check((path) => splitPath(path).length <= limits.fileDepth, `expected at most ${limits.fileDepth} names in a path`),
)

/** A path below its place. Empty for the place itself. */
export const FolderPath = Names
export const FilePath = v.pipe(Names, v.minLength(1, 'expected the path of a file'))

/** The path of a file that an agent sends. */
export const AgentFilePath = v.pipe(
  v.string(),
  v.regex(/^\/(?:workspace|memory)\//, 'expected a path below /workspace or /memory'),
  v.check((path) => v.is(FilePath, path.slice(path.indexOf('/', 1) + 1)), 'expected names separated by single slashes, without . and ..'),
)

/** A path chosen by people, without hidden characters and line breaks. */
export const NewFilePath = v.pipe(
  FilePath,
  v.check((path) => visible(path) === path && !/[\n\t]/.test(path), 'expected a path without control or hidden characters'),
  v.check(
    (path) => splitPath(path).every((name) => new TextEncoder().encode(name).length <= limits.fileName),
    'expected names of at most 255 bytes',
  ),
)

/** `readable`: a directory, or a regular file with one link within the size limit, with a name that a request can contain. */
export const FileItem = v.strictObject({
  name: v.string(),
  kind: v.picklist(fileKinds),
  size: v.number(),
  modifiedAt: Time,
  readable: v.boolean(),
})
export type FileItem = v.InferOutput<typeof FileItem>

/** A file that an agent sent with a message, with the path that it named. */
export const SentFile = v.strictObject({ name: v.string(), path: v.string(), size: v.number() })
export type SentFile = v.InferOutput<typeof SentFile>

/** Sorted by bytes. `truncated`: the directory has more entries than are read. */
export const FileList = v.strictObject({
  items: v.array(FileItem),
  nextCursor: v.optional(v.string()),
  truncated: v.optional(v.boolean()),
})
export type FileList = v.InferOutput<typeof FileList>

/** An uploaded file, as in the journal. */
export const PutFile = v.strictObject({ place: FilePlace, path: NewFilePath, bytes: v.number(), digest: v.string() })
export type PutFile = v.InferOutput<typeof PutFile>

/** A removed file, as in the journal. */
export const RemovedFile = v.strictObject({ place: FilePlace, path: FilePath, kind: v.picklist(fileKinds) })
export type RemovedFile = v.InferOutput<typeof RemovedFile>
