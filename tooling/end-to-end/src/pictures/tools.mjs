// A tool server for the pictures. Its argument names the set of tools that it declares.
import { createInterface } from 'node:readline'

const text = (properties) => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(properties).map(([name, description]) => [name, { type: 'string', description }])),
  required: Object.keys(properties),
})
const reads = { readOnlyHint: true }
const destroys = { destructiveHint: true }
const outside = { destructiveHint: false, openWorldHint: true }
const tool = ([name, description], properties, annotations) => ({ name, description, inputSchema: text(properties), annotations })

const id = { id: 'Number of the ticket, such as T-118.' }
const sets = {
  tickets: [
    tool(['search', 'Finds tickets by words, state and day.'], { words: 'What to look for.' }, reads),
    tool(['read', 'Reads one ticket with all its comments.'], id, reads),
    tool(['comment', 'Writes a comment that the customer gets by mail.'], { ...id, comment: 'Plain text.' }, outside),
    tool(
      ['close', 'Closes a ticket. A closed ticket cannot be opened again.'],
      { ...id, reason: 'Shown in the monthly report.' },
      destroys,
    ),
  ],
  payments: [
    tool(['list_charges', 'Lists the charges of a customer, newest first.'], { customer: 'Id of the customer.' }, reads),
    tool(['refund', 'Refunds a charge to the card that paid it.'], { charge: 'Id of the charge.', amount: 'In cents.' }, destroys),
    tool(['create_invoice', 'Creates an invoice and mails it.'], { customer: 'Id of the customer.' }, outside),
  ],
  wiki: [
    tool(['search', 'Full-text search over all pages.'], { words: 'What to look for.' }, reads),
    tool(['read_page', 'Reads a page as Markdown.'], { path: 'Path of the page.' }, reads),
    tool(['write_page', 'Replaces a page. The previous version is kept.'], { path: 'Path of the page.', body: 'Markdown.' }, outside),
  ],
  github: [
    tool(['list_issues', 'Lists the issues of a repository.'], { repository: 'owner/name' }, reads),
    tool(['get_file', 'Reads one file at a commit.'], { repository: 'owner/name', path: 'Path of the file.' }, reads),
    tool(['create_pull_request', 'Opens a pull request from a branch.'], { repository: 'owner/name', head: 'Branch.' }, outside),
    tool(['merge_pull_request', 'Merges a pull request into its base.'], { repository: 'owner/name', number: 'Its number.' }, destroys),
    tool(['delete_branch', 'Deletes a branch.'], { repository: 'owner/name', branch: 'Its name.' }, destroys),
  ],
  calendar: [
    tool(['free_busy', 'Says when a person is free.'], { person: 'Mail address.' }, reads),
    tool(['create_event', 'Creates an event and invites people.'], { title: 'Title.', people: 'Mail addresses.' }, outside),
  ],
}

const tools = sets[process.argv[2]] ?? []
const results = {
  search: 'T-118 Printer on floor 2 prints nothing; T-121 Printer upstairs is silent',
  read: 'T-121: The printer upstairs is silent since Friday.',
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: process.argv[2], version: '1.4.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: results[name] ?? 'Done.' }] }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id: number, method, params = {} } = JSON.parse(line)
  if (number === undefined) return
  const result = answers[method]?.(params)
  const error = { code: -32601, message: `no method ${method}` }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: number, ...(result === undefined ? { error } : { result }) })}\n`)
})
