// The sample tool server: two tools, no credentials, no state.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'

const registerAdd = (server: McpServer): void => {
  server.registerTool(
    'add',
    {
      title: 'Add',
      description: 'Answers with the sum of two numbers.',
      inputSchema: { a: z.number().describe('The first number'), b: z.number().describe('The second number') },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  )
}

const registerEcho = (server: McpServer): void => {
  server.registerTool(
    'echo',
    {
      title: 'Echo',
      description: 'Answers with the text that it was given.',
      inputSchema: { text: z.string().describe('The text to answer with') },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  )
}

export const createSampleServer = (): McpServer => {
  const server = new McpServer({ name: 'gatehouse-sample', version: '1.0.0' })
  registerEcho(server)
  registerAdd(server)
  return server
}
