// The calls about files, one line each into an act.
import type { runnerControlPlane } from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import { withDisk } from '../groups/with-disk.ts'
import type { Context } from '../sessions/context.ts'
import { listFiles } from './list.ts'
import { readFilePart } from './read.ts'
import { findFile, removeFile } from './remove.ts'
import { addPart, beginFile, dropFile, endFile } from './take.ts'

type FileCalls = 'fileList' | 'fileRead' | 'fileBegin' | 'filePart' | 'fileEnd' | 'fileDrop' | 'fileFind' | 'fileRemove'

export const fileHandlers = (context: Context): Pick<Handlers<typeof runnerControlPlane>, FileCalls> => ({
  fileList: (params) => withDisk(context, params.agentGroupID, () => listFiles(context, params)),
  fileRead: (params) => withDisk(context, params.agentGroupID, () => readFilePart(context, params)),
  fileBegin: (params) => withDisk(context, params.agentGroupID, () => beginFile(context, params)),
  filePart: (params) => addPart(context, params),
  fileEnd: (params) => endFile(context, params),
  fileDrop: (params) => dropFile(context, params),
  fileFind: (params) => withDisk(context, params.agentGroupID, () => findFile(context, params)),
  fileRemove: (params) => withDisk(context, params.agentGroupID, () => removeFile(context, params)),
})
