// A tool server with fifty tools of ordinary size and one that waits: `node many-tools.ts`.
import { createInterface } from 'node:readline'

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly name?: string; readonly protocolVersion?: string; readonly arguments?: { readonly ms?: number } }
}

const properties = Object.fromEntries(
  Array.from({ length: 6 }, (_, at) => [`parameter${at}`, { type: 'string', description: `The parameter number ${at} of the tool` }]),
)
const tools = ['wait', ...Array.from({ length: 49 }, (_, at) => `tool_${at}`)].map((name) => ({
  name,
  description: `Does what ${name} does, in about as many words as such a description has; nothing more.`,
  inputSchema: { type: 'object', properties, required: ['parameter0'] },
}))

const write = (id: number, result: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)

const take = ({ id, method, params }: Message): void => {
  if (id === undefined) return
  if (method === 'initialize')
    return write(id, {
      protocolVersion: params?.protocolVersion ?? '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'many', version: '1' },
    })
  if (method === 'tools/list') return write(id, { tools })
  if (method === 'tools/call') {
    const answer = { content: [{ type: 'text', text: 'hi' }] }
    const ms = params?.name === 'wait' ? (params.arguments?.ms ?? 0) : 0
    if (ms === 0) write(id, answer)
    else setTimeout(() => write(id, answer), ms)
    return
  }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } })}\n`)
}

createInterface({ input: process.stdin }).on('line', (line) => take(JSON.parse(line) as Message))
