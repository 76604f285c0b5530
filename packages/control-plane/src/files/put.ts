// A file on its way to a group: read no faster than the runner takes it, journaled when it is whole, and only then in its place.
import { createHash } from 'node:crypto'
import { limits, type PutFile, ServiceError } from '@gatehouse/contracts'
import type { Context } from 'hono'
import type { Env } from '../env.ts'
import { bytesOf } from '../guards/body.ts'
import type { WantedFile } from './fetch.ts'

/** Parts of the size that the edge carries, however the body came. */
async function* partsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let [held, size]: [Uint8Array[], number] = [[], 0]
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + limits.filePart - size)
      held.push(piece)
      size += piece.length
      at += piece.length
      if (size < limits.filePart) continue
      yield Buffer.concat(held)
      ;[held, size] = [[], 0]
    }
  }
  if (size > 0) yield Buffer.concat(held)
}

const checkType = (c: Context<Env>): void => {
  const type = c.req.header('content-type')
  if (type?.trim().toLowerCase() === 'application/octet-stream' && c.req.header('content-encoding') === undefined) return
  throw new ServiceError('unsupported-media-type', {
    detail: 'expected application/octet-stream, got another media type or an encoding',
    hint: 'send the bytes of the file with "Content-Type: application/octet-stream"',
  })
}

const send = async (c: Context<Env>, upload: string): Promise<Pick<PutFile, 'bytes' | 'digest'>> => {
  const { runner } = c.var.unit.peers
  const hash = createHash('sha256')
  let bytes = 0
  for await (const part of partsOf(bytesOf(c, limits.file))) {
    hash.update(part)
    bytes += part.length
    await runner.filePart({ upload, data: part.toString('base64') }, c.var.call)
  }
  return { bytes, digest: hash.digest('hex') }
}

/** Asked twice: whether this principal may at all, and, once it is known what came, for its line in the journal. */
export const putFile = async (c: Context<Env>, wanted: WantedFile): Promise<PutFile> => {
  const { unit, token, call } = c.var
  const { gateway, runner } = unit.peers
  const { agentGroupID, place, path } = wanted
  await gateway.permit({ token, route: 'files', agentGroupID }, call)
  checkType(c)
  const group = await gateway.group({ token, agentGroupID }, call)
  const { upload } = await runner.fileBegin(wanted, call)
  try {
    const put = { place, path, ...(await send(c, upload)) }
    await gateway.permit({ token, route: 'files-put', agentGroupID, file: put }, call)
    await runner.fileEnd({ upload, most: group.limits.workspaceMiB ?? limits.sandboxWorkspaceMiB }, call)
    return put
  } catch (error) {
    await runner.fileDrop({ upload }, call).catch(() => undefined)
    throw error
  }
}
