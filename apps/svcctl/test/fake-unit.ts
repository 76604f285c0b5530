// A small unit of its own: the answers of the admin API with fixed contents, and a memory of what was asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { type Code, codes } from '@gatehouse/contracts'
import { known } from './answers.ts'
import { messages, news } from './contents.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly token: string | undefined
  readonly body: unknown
}

export interface FakeUnit {
  readonly address: string
  readonly asked: Asked[]
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface FakeUnitOptions {
  readonly token?: string
  /** Answers of routes by `METHOD path`, instead of the fixed ones. */
  readonly answers?: Readonly<Record<string, unknown>>
  /** Routes that answer with a header, and which: name and value. */
  readonly headers?: Readonly<Record<string, readonly [string, string]>>
  /** Routes that fail, by the code of their problem. */
  readonly problems?: Readonly<Record<string, Code>>
  /** Hears of each request before it is answered, and may change the answers. */
  readonly hear?: (asked: Asked) => void
}

const metrics =
  '# HELP gatehouse_gateway_held_changes Changes that wait\n# TYPE gatehouse_gateway_held_changes gauge\ngatehouse_gateway_held_changes 2\n'

const send = (response: ServerResponse, code: number, body: unknown): void => {
  response.writeHead(code, { 'content-type': code < 400 ? 'application/json' : 'application/problem+json' }).end(JSON.stringify(body))
}

const fail = (response: ServerResponse, code: Code): void => {
  const { status: httpStatus, title } = codes[code]
  send(response, httpStatus, {
    type: `about:${code}`,
    title,
    status: httpStatus,
    detail: `planted ${code}`,
    code,
    hint: 'a hint',
    requestId: 'req-12345678',
  })
}

export const startUnit = async ({ token, answers = {}, headers = {}, problems = {}, hear }: FakeUnitOptions = {}): Promise<FakeUnit> => {
  const asked: Asked[] = []
  const sent = { texts: 0 }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const raw = await readAll(request)
    const one: Asked = {
      method: request.method ?? '',
      path: request.url ?? '',
      token: request.headers.authorization,
      body: raw === '' ? undefined : request.headers['content-type'] === 'application/json' ? (JSON.parse(raw) as unknown) : raw,
    }
    asked.push(one)
    hear?.(one)
    const route = `${one.method} ${one.path.split('?')[0]}`
    const problem = token !== undefined && route !== 'GET /readyz' && one.token !== `Bearer ${token}` ? 'unauthorized' : problems[route]
    if (problem !== undefined) return fail(response, problem)
    if (headers[route] !== undefined) response.setHeader(...headers[route])
    if (route === 'GET /v1/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write(`id: 7\nevent: news\ndata: ${JSON.stringify(news)}\n\n`)
    }
    if (route === 'GET /metrics') return void response.writeHead(200, { 'content-type': 'text/plain' }).end(metrics)
    if (route === 'POST /v1/backup')
      return void response
        .writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="unit.age"' })
        .end('an age stream')
    if (route === 'POST /v1/ui/chat/send') sent.texts += 1
    if (route.startsWith('GET /v1/ui/chat/')) {
      const { searchParams: query } = new URL(one.path, 'http://unit')
      const [all, after, limit] = [messages(sent.texts), query.get('after'), Number(query.get('limit') ?? 200)]
      const page = after === null ? all.slice(-limit) : all.filter(({ seq }) => seq > Number(after)).slice(0, limit)
      return send(response, 200, { messages: page })
    }
    const answer = answers[route] ?? known(one)
    if (answer === null) return void response.writeHead(204).end()
    return answer === undefined ? fail(response, 'not-found') : send(response, 200, answer)
  }

  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      if (!server.listening) return resolve()
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { address: `http://127.0.0.1:${port}`, asked, close, [Symbol.asyncDispose]: close }
}
