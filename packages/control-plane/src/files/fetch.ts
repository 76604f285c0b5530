// A file of a group on its way to a reader: the next part is asked of the runner when the one before was taken.
import { type AgentGroupID, type FilePlace, limits } from '@gatehouse/contracts'
import type { Context } from 'hono'
import type { Env } from '../env.ts'
import { readRange } from './range.ts'

export interface WantedFile {
  readonly agentGroupID: AgentGroupID
  readonly place: FilePlace
  readonly path: string
}

interface Rest {
  readonly offset: number
  readonly end: number
  readonly part: (offset: number) => Promise<Buffer>
  /** The answer can only be cut off: its reader was told of a length. */
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

/** The name that a browser may save it under, whatever stands in it. */
const disposition = (path: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(path.slice(path.lastIndexOf('/') + 1)).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`

/** What goes wrong before the first byte is a problem; what goes wrong later ends the connection. */
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
    c.var.unit.log.warn('a file was not sent to its end', { error })
    c.env.outgoing?.destroy()
  }
  return c.body(streamOf(first, { offset, end, part, cutOff }), status, headers)
}
