// The tool `add`: answers with the sum of two numbers.
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'

export const registerAdd = (server: McpServer): void => {
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
