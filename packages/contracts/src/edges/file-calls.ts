// Files of a group between the control plane and the runner, in parts: each is asked for when the one before was taken.
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
  /** A part of a file. With `tag`: of that state of the file alone, else `conflict`. */
  fileRead: call(
    v.strictObject({ ...place, path: FilePath, offset: v.number(), length: v.number(), tag: v.optional(Digest) }),
    v.strictObject({ data: Part, size: v.number(), tag: Digest }),
    { patient: true, large: true },
  ),
  /** Begins to take a file, beside the group: nothing of it is there for the agent before `fileEnd`. */
  fileBegin: call(v.strictObject({ ...place, path: NewFilePath }), v.strictObject({ upload: UploadID }), { patient: true }),
  filePart: call(v.strictObject({ upload: UploadID, data: Part }), v.strictObject({}), { large: true }),
  /** Puts it in its place, whole. `most`: MiB that the group's workspace may hold. */
  fileEnd: call(v.strictObject({ upload: UploadID, most: v.number() }), v.strictObject({}), { deadline: limits.fileEndTime }),
  fileDrop: call(v.strictObject({ upload: UploadID }), v.strictObject({})),
  /** What is to be removed. `conflict` for a directory that holds something. */
  fileFind: call(v.strictObject({ ...place, path: FilePath }), v.strictObject({ kind }), { patient: true }),
  /** Removes this name, and nothing that it leads to. `conflict` where it is of another kind by now. */
  fileRemove: call(v.strictObject({ ...place, path: FilePath, kind }), v.strictObject({}), { patient: true }),
}
