// A session's tools, called as its sandbox would: plain HTTP on the socket that the broker serves it.
import { readdir } from 'node:fs/promises'
import { Agent, request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { listens } from './listens.ts'
import { runDirectoryOf } from './run-directory.ts'
import type { Unit } from './unit.ts'
import { waitFor } from './wait-for.ts'

export interface ToolAnswer {
  readonly status: number
  readonly body: {
    readonly tools?: readonly { readonly name: string; readonly description?: string }[]
    readonly content?: readonly { readonly text?: string }[]
    readonly structuredContent?: unknown
    readonly isError?: boolean
    readonly error?: { readonly code: string }
    readonly code?: string
  }
}

export interface ToolsSocket {
  list(): Promise<ToolAnswer>
  call(name: string, args?: object): Promise<ToolAnswer>
  close(): void
}

const readAnswer = async (response: IncomingMessage): Promise<ToolAnswer> => {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) as ToolAnswer['body'] }
}

/** Of a session that is open, or of the only one. */
export const openTools = async (unit: Unit, session?: string): Promise<ToolsSocket> => {
  const folder = join(await runDirectoryOf(unit), 'tools')
  const socketPath = await waitFor('a tools.sock', 60_000, async () => {
    const name = session ?? (await readdir(folder))[0]
    const path = name === undefined ? undefined : join(folder, name, 'tools.sock')
    return path !== undefined && (await listens(path)) ? path : undefined
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const send = (method: string, path: string, body?: string): Promise<ToolAnswer> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      request({ socketPath, path, method, headers, agent }, (response) => void readAnswer(response).then(resolve, reject))
        .on('error', reject)
        .end(body)
    })
  return {
    list: () => send('GET', '/tools'),
    call: (tool, args = {}) => send('POST', '/call', JSON.stringify({ name: tool, arguments: args })),
    close: () => agent.destroy(),
  }
}
