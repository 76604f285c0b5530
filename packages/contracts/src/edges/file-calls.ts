// Files of a group, transferred between control plane and runner in parts, one at a time.
import * as v from 'valibot'
import { call } from '../edge.ts'
import { fileKinds, FileList, FilePath, FilePlace, FolderPath, NewFilePath } from '../files.ts'
import { AgentGroupID, Digest } from '../ids.ts'
import { limits } from '../limits.ts'

const place = { agentGroupID: AgentGroupID, place: FilePlace }
const kind = v.picklist(fileKinds)
const UploadID = v.pipe(v.string(), v.uuid())
/** At most `limits.filePart` bytes. */
const Part = v.pipe(v.string(), v.maxLength(Math.ceil(limits.filePart / 3) * 4))

export const fileCalls = {
  fileList: call(v.strictObject({ ...place, path: FolderPath, after: v.optional(v.string()), limit: v.number() }), FileList, {
    patient: true,
    large: true,
  }),
  /** Reads a part of a file. With `tag`, throws `conflict` if the file has changed. */
  fileRead: call(
    v.strictObject({ ...place, path: FilePath, offset: v.number(), length: v.number(), tag: v.optional(Digest) }),
    v.strictObject({ data: Part, size: v.number(), tag: Digest }),
    { patient: true, large: true },
  ),
  /** Starts an upload. The agent does not see the file before `fileEnd`. */
  fileBegin: call(v.strictObject({ ...place, path: NewFilePath }), v.strictObject({ upload: UploadID }), { patient: true }),
  filePart: call(v.strictObject({ upload: UploadID, data: Part }), v.strictObject({}), { large: true }),
  /** Moves the complete file to its path. `most`: maximum MiB of the group's workspace. */
  fileEnd: call(v.strictObject({ upload: UploadID, most: v.number() }), v.strictObject({}), { deadline: limits.fileEndTime }),
  fileDrop: call(v.strictObject({ upload: UploadID }), v.strictObject({})),
  /** The kind of a file to remove. Throws `conflict` for a directory that is not empty. */
  fileFind: call(v.strictObject({ ...place, path: FilePath }), v.strictObject({ kind }), { patient: true }),
  /** Removes this name, without following links. Throws `conflict` if its kind has changed. */
  fileRemove: call(v.strictObject({ ...place, path: FilePath, kind }), v.strictObject({}), { patient: true }),
}
