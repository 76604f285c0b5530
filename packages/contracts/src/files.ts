// Files of an agent group as people give and fetch them: where they lie, how they are named, what is told of them.
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
const namesOf = (path: string): string[] => (path === '' ? [] : path.split('/'))

const Names = v.pipe(
  v.string(),
  v.maxBytes(limits.filePath, 'expected a path of at most 4096 bytes'),
  v.check((path) => path.isWellFormed(), 'expected a path in Unicode'),
  v.check((path) => namesOf(path).every(isName), 'expected names with one / between them, none of them . or ..'),
  v.check((path) => namesOf(path).length <= limits.fileDepth, `expected at most ${limits.fileDepth} names in a path`),
)

/** Below its place; the empty one is the place itself. */
export const FolderPath = Names
export const FilePath = v.pipe(Names, v.minLength(1, 'expected the path of a file'))

/** As an agent names a file that it sends. */
export const AgentFilePath = v.pipe(
  v.string(),
  v.regex(/^\/(?:workspace|memory)\//, 'expected a path below /workspace or /memory'),
  v.check((path) => v.is(FilePath, path.slice(path.indexOf('/', 1) + 1)), 'expected names with one / between them, none of them . or ..'),
)

/** What people name themselves hides nothing and breaks no line. */
export const NewFilePath = v.pipe(
  FilePath,
  v.check((path) => visible(path) === path && !/[\n\t]/.test(path), 'expected a path without control and hidden characters'),
  v.check(
    (path) => namesOf(path).every((name) => new TextEncoder().encode(name).length <= limits.fileName),
    'expected names of at most 255 bytes',
  ),
)

/** `readable`: a plain file with one name, within the limit, or a directory; with a name that can be asked for. */
export const FileItem = v.strictObject({
  name: v.string(),
  kind: v.picklist(fileKinds),
  size: v.number(),
  modifiedAt: Time,
  readable: v.boolean(),
})
export type FileItem = v.InferOutput<typeof FileItem>

/** A file that an agent sent with a message, under the path that it gave. */
export const SentFile = v.strictObject({ name: v.string(), path: v.string(), size: v.number() })
export type SentFile = v.InferOutput<typeof SentFile>

/** In the order of their bytes. `truncated`: there are more than are looked at. */
export const FileList = v.strictObject({
  items: v.array(FileItem),
  nextCursor: v.optional(v.string()),
  truncated: v.optional(v.boolean()),
})
export type FileList = v.InferOutput<typeof FileList>

/** What was put: the journal says the same. */
export const PutFile = v.strictObject({ place: FilePlace, path: NewFilePath, bytes: v.number(), digest: v.string() })
export type PutFile = v.InferOutput<typeof PutFile>

/** What is removed, whoever chose its name: the journal says the same. */
export const RemovedFile = v.strictObject({ place: FilePlace, path: FilePath, kind: v.picklist(fileKinds) })
export type RemovedFile = v.InferOutput<typeof RemovedFile>
