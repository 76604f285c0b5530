// Listens, reads requests, and remembers them for whoever started it.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerAsk } from './answer.ts'
import { Refusal } from './refusal.ts'
import { routeOf } from './route.ts'
import { parseScript } from './script/parse.ts'
import type { Scene } from './script/turn.ts'

/** A request as it came. */
export interface Seen {
  readonly provider: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
  /** Null where it was answered by the script, else why not. */
  readonly refused: string | null
}

export interface ProviderOptions {
  /** Without one each message of a user is its own script. */
  readonly script?: string
  /** A path for a unix socket, or a port of the loopback; 0 for any. */
  readonly listen?: string | number
  readonly onRequest?: (seen: Seen) => void
  /** Which keys are good; without it every key is. */
  readonly takes?: (key: string) => boolean
}

export interface Provider {
  /** `http://127.0.0.1:<port>`, or the path of the socket. */
  readonly address: string
  readonly requests: readonly Seen[]
  setScript(script: string): void
  close(): Promise<void>
}

const mostBytes = 64 * 1024 * 1024

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = chunk as Buffer
    size += bytes.length
    if (size <= mostBytes) chunks.push(bytes)
  }
  if (size > mostBytes) throw new Refusal(413, 'Request exceeds the maximum size')
  return Buffer.concat(chunks)
}

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new Refusal(400, 'We could not parse the JSON body of your request.')
  }
}

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const models = {
  object: 'list',
  data: [{ id: 'scripted', object: 'model', created: 0, owned_by: 'scripted' }],
  models: [{ name: 'models/scripted' }],
}

interface State {
  scenes: readonly Scene[]
  readonly faults: Map<string, number>
  readonly note: (seen: Seen) => void
  readonly takes: (key: string) => boolean
}

const keyOf = ({ headers }: IncomingMessage): string =>
  String(headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization?.replace(/^Bearer /, '') ?? '')

const serve = async (request: IncomingMessage, response: ServerResponse, state: State): Promise<void> => {
  const url = new URL(request.url ?? '/', 'http://scripted')
  const path = url.pathname
  if (!state.takes(keyOf(request)))
    return sendJson(response, 401, { type: 'error', error: { type: 'authentication_error', message: 'invalid API key', code: 401 } })
  if (request.method === 'GET' && path.endsWith('/models')) return sendJson(response, 200, models)
  const route = request.method === 'POST' ? routeOf(path, request.headers.host ?? '') : null
  if (route === null)
    return sendJson(response, 404, { error: { type: 'not_found_error', message: `no ${request.method ?? ''} ${path} here`, code: 404 } })
  const { provider, format } = route
  let body: unknown
  const note = (refused: string | null): void => state.note({ provider, path, headers: request.headers, body, refused })
  try {
    const bytes = await readBody(request)
    body = parse(bytes)
    const ask = format.read({ provider, path, query: url.searchParams, headers: request.headers, body, bytes: bytes.length })
    note(null)
    await answerAsk({ ask, format, response, scenes: state.scenes, faults: state.faults })
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, error instanceof Error ? error.message : String(error))
    note(refusal.message)
    sendJson(response, refusal.status, format.error(refusal, provider))
  }
}

/** Throws for a script that cannot be read. */
export const startProvider = async (options: ProviderOptions = {}): Promise<Provider> => {
  const requests: Seen[] = []
  const state: State = {
    scenes: parseScript(options.script ?? ''),
    faults: new Map(),
    takes: options.takes ?? (() => true),
    note: (seen) => {
      requests.push(seen)
      options.onRequest?.(seen)
    },
  }
  const server = createServer({ noDelay: true }, (request, response) => {
    serve(request, response, state).catch(() => response.destroy())
  })
  const { listen = 0 } = options
  if (typeof listen === 'string') server.listen(listen)
  else server.listen(listen, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: typeof listen === 'string' ? listen : `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    setScript: (script) => {
      state.scenes = parseScript(script)
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
