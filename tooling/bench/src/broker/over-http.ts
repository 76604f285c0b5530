// One HTTP request, kept alive, over a unix socket or a loopback port: what each way to a tool is asked by.
import { Agent, request, type IncomingMessage } from 'node:http'

export interface Target {
  readonly socketPath?: string
  readonly port?: number
  readonly path: string
}

export interface Sent {
  readonly method?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Reply {
  readonly text: string
  readonly headers: IncomingMessage['headers']
}

export type Ask = (sent: Sent) => Promise<Reply>

const read = async (response: IncomingMessage): Promise<Reply> => {
  const chunks: Buffer[] = []
  for await (const chunk of response) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const { statusCode = 0, headers } = response
  if (statusCode < 200 || statusCode > 299) throw new Error(`expected a good status, got ${statusCode}: ${text.slice(0, 200)}`)
  return { text, headers }
}

export const overHttp = (target: Target): Ask => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return ({ method = 'POST', body = '', headers = {} }) =>
    new Promise((resolve, reject) => {
      const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers }
      request({ ...target, host: '127.0.0.1', method, agent, headers: all }, (response) => void read(response).then(resolve, reject))
        .on('error', reject)
        .end(body)
    })
}
