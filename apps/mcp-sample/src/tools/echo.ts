// The tool `echo`: answers with the text that it was given.
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'

export const registerEcho = (server: McpServer): void => {
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
