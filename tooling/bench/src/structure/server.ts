// A tool server over stdio or HTTP (with events at `/events`) and a provider of models, whose answers have the shape and size that a request names. Over HTTP it
// writes its port on a line and ends with its input.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { jsonShapes } from '@gatehouse/end-to-end/json-shapes'

const bytes = 8 * 1024 * 1024 - 1024

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly shape?: string } }
}

const kept = new Map<string, string>()
/** Made once, so that the machine is busy with the answer and not with its making. */
const valueOf = (shape: string, values: number): string => {
  const key = `${shape} ${values}`
  const value = kept.get(key) ?? jsonShapes[shape]?.({ bytes, values }) ?? '"fine"'
  kept.set(key, value)
  return value
}

const resultOf = ({ method, params }: Message): string => {
  if (method === 'initialize')
    return JSON.stringify({
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'shapes', version: '1' },
    })
  if (method === 'tools/list') return JSON.stringify({ tools: [{ name: 'shape', inputSchema: { type: 'object' } }] })
  if (method !== 'tools/call') return '{}'
  const value = valueOf(params?.arguments?.shape ?? '', 49_000)
  return `{"content":[{"type":"text","text":"fine"}],"structuredContent":{"a":${value}}}`
}

const answerTo = (message: Message): string | undefined => {
  if (message.id === undefined) return undefined
  const id = JSON.stringify(message.id)
  if (message.method === 'server/discover') return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"Method not found"}}`
  return `{"jsonrpc":"2.0","id":${id},"result":${resultOf(message)}}`
}

const events = { 'content-type': 'text/event-stream' }

const streamOf = (response: ServerResponse, more: string): void => {
  response.writeHead(200, events)
  response.write('data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n')
  response.end(`data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1${more}}}\n\ndata: [DONE]\n\n`)
}

/** The shape stands in the message of the model: `shape <name>;`. */
const complete = (response: ServerResponse, text: string): void => {
  const head = text.slice(0, 4_096)
  const [, shape = ''] = /shape ([^;]+);/.exec(head) ?? []
  if (head.includes('"stream":true')) return streamOf(response, shape === '' ? '' : `,"x":${valueOf(shape, 49_000)}`)
  const value = shape === '' ? '"fine"' : valueOf(shape, 99_000)
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(`{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"}}],"usage":{"prompt_tokens":1},"x":${value}}`)
}

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const chunks: Buffer[] = []
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  if (request.url?.endsWith('/completions') === true) return complete(response, text)
  const answer = answerTo(JSON.parse(text) as Message)
  if (answer === undefined) return void response.writeHead(202).end()
  if (request.url === '/events') response.writeHead(200, events).end(`event: message\ndata: ${answer}\n\n`)
  else response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
}

const listen = (): void => {
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
  process.stdin.resume().on('end', () => process.exit())
}

const speak = (): void =>
  void createInterface({ input: process.stdin }).on('line', (line) => {
    const answer = answerTo(JSON.parse(line) as Message)
    if (answer !== undefined) process.stdout.write(`${answer}\n`)
  })

if (process.argv[2] === 'http') listen()
else speak()
