// RPC handlers for files of a group, and uploads in parts. No part of a file is visible to the agent until the file is complete.
import {
  type AgentGroupID,
  ConversationID,
  type HostIdentity,
  type Params,
  type Result,
  type runnerControlPlane,
} from '@gatehouse/contracts'
import type { Handlers } from '@gatehouse/rpc'
import * as v from 'valibot'
import { listFiles } from './files/list.ts'
import { checkTarget, putFile } from './files/put.ts'
import { readFilePart } from './files/read.ts'
import { placeOf, refusing } from './files/refusal.ts'
import { findFile, removeFile } from './files/remove.ts'
import { groupDirectories } from './groups/directories.ts'
import { adoptSession } from './sessions/registry.ts'
import { type Context, sessionsOf, withDisk } from './state/context.ts'

/** Creates the directories of a group before its first run, with the owner of its sandboxes. */
const console = v.parse(ConversationID, 'console')

/** All sessions of a group run as one user. Without a session, the console session is opened, which launches nothing. */
const identityOf = async (context: Context, group: AgentGroupID): Promise<HostIdentity | undefined> => {
  const [known] = sessionsOf(context, group).filter(({ open }) => open)
  if (known !== undefined) return (await context.gateway.session({ session: known.id })).session.identity
  const registered = await context.gateway.openSession({ agentGroupID: group, conversationID: console })
  adoptSession(context, registered)
  return registered.identity
}

/** Throws `no-sandbox` where nothing is launched. Gives the owner of new files; undefined: the unit itself. */
const prepareGroup = async (context: Context, group: AgentGroupID): Promise<HostIdentity | undefined> => {
  const { driver } = await context.posture.engaged(context.closing)
  const owner = driver.owner(await identityOf(context, group))
  await groupDirectories(context.stateDir, group, owner)
  return owner
}

/** Receives a file from a person in parts. The agent does not see it before it is complete. */
type Edge = typeof runnerControlPlane
type Nothing = Record<string, never>

const beginFile = (context: Context, wanted: Params<Edge, 'fileBegin'>): Promise<Result<Edge, 'fileBegin'>> =>
  refusing(wanted.path, async () => {
    await prepareGroup(context, wanted.agentGroupID)
    await checkTarget(placeOf(context, wanted), wanted.path)
    return { upload: await context.uploads.begin(wanted) }
  })

const addPart = async (context: Context, { upload, data }: Params<Edge, 'filePart'>): Promise<Nothing> =>
  refusing('the file', async () => {
    await context.uploads.add(upload, Buffer.from(data, 'base64'))
    return {}
  })

const endFile = async (context: Context, { upload: id, most }: Params<Edge, 'fileEnd'>): Promise<Nothing> => {
  const upload = context.uploads.take(id)
  try {
    const put = async (): Promise<Nothing> => {
      const owner = await prepareGroup(context, upload.agentGroupID)
      await putFile(upload, { root: placeOf(context, upload), owner, most })
      return {}
    }
    return await refusing(upload.path, () => withDisk(context, upload.agentGroupID, put))
  } finally {
    await context.uploads.drop(id)
  }
}

const dropFile = async (context: Context, { upload }: Params<Edge, 'fileDrop'>): Promise<Nothing> => {
  await context.uploads.drop(upload)
  return {}
}

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
