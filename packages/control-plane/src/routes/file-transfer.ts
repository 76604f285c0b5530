// Transfers files between a client and the runner in parts, at the pace of the receiver.
import { createHash } from 'node:crypto'
import { type AgentGroupID, type FilePlace, limits, type PutFile, ServiceError } from '@gatehouse/contracts'
import type { Context } from 'hono'
import type { Env } from '../env.ts'
import { bytesOf } from '../guards/body.ts'

/** First byte, and the end (exclusive). */
const readRange = (header: string | undefined, size: number): readonly [number, number] | undefined => {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
  if (found === null) return undefined
  const [, from = '', to = ''] = found
  if (from === '' && to === '') return undefined
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1)
  return start < end ? [start, end] : undefined
}

interface WantedFile {
  readonly agentGroupID: AgentGroupID
  readonly place: FilePlace
  readonly path: string
}

interface Rest {
  readonly offset: number
  readonly end: number
  readonly part: (offset: number) => Promise<Buffer>
  /** The response has a Content-Length, so a failure can only end the connection. */
  readonly cutOff: (error: unknown) => void
}

const streamOf = (first: Buffer, { offset, end, part, cutOff }: Rest): ReadableStream<Uint8Array> => {
  let [at, next]: [number, Buffer | undefined] = [offset, first]
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const data = next ?? (await part(at))
          next = undefined
          at += data.length
          controller.enqueue(data)
          if (at >= end) controller.close()
        } catch (error) {
          cutOff(error)
          controller.close()
        }
      },
    },
    { highWaterMark: 0 },
  )
}

/** A safe file name for the download in a browser. */
const disposition = (path: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(path.slice(path.lastIndexOf('/') + 1)).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`

/** An error before the first byte is a problem document. A later one ends the connection. */
export const fetchFile = async (c: Context<Env>, wanted: WantedFile): Promise<Response> => {
  const { runner } = c.var.unit.peers
  const { call } = c.var
  const whole = await runner.fileRead({ ...wanted, offset: 0, length: 0 }, call)
  const { size, tag } = whole
  const range = readRange(c.req.header('range'), size)
  const [offset, end] = range ?? [0, size]
  const part = async (at: number): Promise<Buffer> => {
    const length = Math.min(limits.filePart, end - at)
    return Buffer.from((await runner.fileRead({ ...wanted, offset: at, length, tag }, call)).data, 'base64')
  }
  const first = end > offset ? await part(offset) : undefined
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(end - offset),
    'Content-Disposition': disposition(wanted.path),
    'Accept-Ranges': 'bytes',
    ETag: `"${tag}"`,
    ...(range !== undefined && { 'Content-Range': `bytes ${offset}-${end - 1}/${size}` }),
  }
  const status = range === undefined ? 200 : 206
  if (first === undefined || c.req.method === 'HEAD') return c.body(null, status, headers)
  const cutOff = (error: unknown): void => {
    c.var.unit.log.warn('file download failed', { error })
    c.env.outgoing?.destroy()
  }
  return c.body(streamOf(first, { offset, end, part, cutOff }), status, headers)
}

/** Splits the body into parts of the size that the edge supports. */
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

/** Uploads a file at the pace of the runner. It is journaled when complete, and only then moved into place. */
const checkType = (c: Context<Env>): void => {
  const type = c.req.header('content-type')
  if (type?.trim().toLowerCase() === 'application/octet-stream' && c.req.header('content-encoding') === undefined) return
  throw new ServiceError('unsupported-media-type', {
    detail: 'the media type must be application/octet-stream without an encoding',
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

/** Authorizes the upload twice: before it starts, and with its size and digest for the journal. */
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

/** Authorizes the download twice, like an upload: before it starts, and with its size and digest for the journal. */
export const removeFile = async (c: Context<Env>, wanted: WantedFile): Promise<void> => {
  const { unit, token, call } = c.var
  const { gateway, runner } = unit.peers
  const { agentGroupID, place, path } = wanted
  await gateway.permit({ token, route: 'files', agentGroupID }, call)
  const { kind } = await runner.fileFind(wanted, call)
  await gateway.permit({ token, route: 'files-remove', agentGroupID, file: { place, path, kind } }, call)
  await runner.fileRemove({ ...wanted, kind }, call)
}
