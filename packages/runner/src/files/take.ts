// Takes a file from a person in parts. Before the last word nothing of it is there for the agent.
import type { Params, Result, runnerControlPlane } from '@gatehouse/contracts'
import { withDisk } from '../groups/with-disk.ts'
import type { Context } from '../sessions/context.ts'
import { prepareGroup } from './owner.ts'
import { placeOf } from './place.ts'
import { checkTarget, putFile } from './put.ts'
import { refusing } from './refusal.ts'

type Edge = typeof runnerControlPlane
type Nothing = Record<string, never>

export const beginFile = (context: Context, wanted: Params<Edge, 'fileBegin'>): Promise<Result<Edge, 'fileBegin'>> =>
  refusing(wanted.path, async () => {
    await prepareGroup(context, wanted.agentGroupID)
    await checkTarget(placeOf(context, wanted), wanted.path)
    return { upload: await context.uploads.begin(wanted) }
  })

export const addPart = async (context: Context, { upload, data }: Params<Edge, 'filePart'>): Promise<Nothing> =>
  refusing('the file', async () => {
    await context.uploads.add(upload, Buffer.from(data, 'base64'))
    return {}
  })

export const endFile = async (context: Context, { upload: id, most }: Params<Edge, 'fileEnd'>): Promise<Nothing> => {
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

export const dropFile = async (context: Context, { upload }: Params<Edge, 'fileDrop'>): Promise<Nothing> => {
  await context.uploads.drop(upload)
  return {}
}
