// Asks for one stream, directly or through a session's socket, and says when it began and how much of it came.
import { Agent, request, type RequestOptions } from 'node:http'

export interface Streamed {
  /** Milliseconds to the first byte of the body. */
  readonly first: number
  readonly bytes: number
}

export interface Wish {
  readonly events: number
  readonly pace: number
  /** Bytes of the request. */
  readonly size: number
}

export type Ask = (wish: Wish) => Promise<Streamed>

const bodyOf = ({ events, pace, size }: Wish): string =>
  JSON.stringify({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: `${events} ${pace} ${'x'.repeat(size)}` }],
  })

export const createAsk = (to: RequestOptions, path: string): Ask => {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  return (wish) =>
    new Promise((resolve, reject) => {
      const body = bodyOf(wish)
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const start = performance.now()
      let first = 0
      let bytes = 0
      const sent = request({ ...to, path, method: 'POST', headers, agent }, (response) => {
        response.on('data', (chunk: Buffer) => {
          if (bytes === 0) first = performance.now() - start
          bytes += chunk.length
        })
        response.on('end', () =>
          response.statusCode === 200 ? resolve({ first, bytes }) : reject(new Error(`status ${response.statusCode}`)),
        )
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
}
