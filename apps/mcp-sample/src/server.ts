// The sample tool server: two tools, no credentials, no state.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { registerAdd } from './tools/add.ts'
import { registerEcho } from './tools/echo.ts'

export const createSampleServer = (): McpServer => {
  const server = new McpServer({ name: 'gatehouse-sample', version: '1.0.0' })
  registerEcho(server)
  registerAdd(server)
  return server
}
