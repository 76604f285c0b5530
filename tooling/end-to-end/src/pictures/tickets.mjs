// A tool server for the pictures: the tickets of a small help desk.
import { createInterface } from 'node:readline'

const text = (properties) => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(properties).map(([name, description]) => [name, { type: 'string', description }])),
  required: Object.keys(properties),
})
const id = { id: 'Number of the ticket, such as T-118.' }
const tools = [
  {
    name: 'search',
    description: 'Finds tickets by words, state and day.',
    inputSchema: text({ words: 'What to look for.' }),
    annotations: { readOnlyHint: true },
  },
  { name: 'read', description: 'Reads one ticket with all its comments.', inputSchema: text(id), annotations: { readOnlyHint: true } },
  {
    name: 'comment',
    description: 'Writes a comment that the customer gets by mail.',
    inputSchema: text({ ...id, comment: 'Plain text.' }),
    annotations: { destructiveHint: false, openWorldHint: true },
  },
  {
    name: 'close',
    description: 'Closes a ticket. A closed ticket cannot be opened again.',
    inputSchema: text({ ...id, reason: 'For the report of the month.' }),
    annotations: { destructiveHint: true },
  },
]
const said = {
  search: 'T-118 Printer on floor 2 prints nothing; T-121 Printer upstairs is silent',
  read: 'T-121: The printer upstairs is silent since Friday.',
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'tickets', version: '3.2.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: said[name] ?? 'Done.' }] }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id: number, method, params = {} } = JSON.parse(line)
  if (number === undefined) return
  const result = answers[method]?.(params)
  const error = { code: -32601, message: `no method ${method}` }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: number, ...(result === undefined ? { error } : { result }) })}\n`)
})
