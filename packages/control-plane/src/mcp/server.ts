// The MCP server for one client outside a sandbox, with the granted tools of its group and the tool that requests changes.
// It is stateless. The broker authorizes each list and call by the token of the request.
import { isServiceError, type ListedTool, ServiceError, toServiceError } from '@gatehouse/contracts'
import {
  type CallToolResult,
  isCallToolResult,
  isSpecType,
  ProtocolError,
  ProtocolErrorCode,
  McpServer,
  type Tool,
} from '@modelcontextprotocol/server'
import type { McpCaller } from './caller.ts'
import { requestChange, requestChangeTool } from './request-change.ts'

const instructions =
  'The tools are those that a human has granted to this agent. A call of any other tool is refused. Request tools with request_capability_change; a human decides.'

type Op = 'list' | 'call' | 'request-change'

const count = ({ unit }: McpCaller, op: Op, outcome: 'ok' | 'error'): void =>
  unit.metrics.counter('mcp_client_requests_total').inc({ op, outcome })

/** Omits the code, which is for operators. The client gets the detail and the hint. */
const toProtocolError = (error: unknown): ProtocolError => {
  const { code, detail, hint } = toServiceError(error)
  const text = hint === undefined ? (detail ?? code) : `${detail ?? code}; ${hint}`
  return new ProtocolError(ProtocolErrorCode.InternalError, text, { code })
}

const toTool = ({ server: _server, tool: _tool, ...definition }: ListedTool): Tool | undefined =>
  isSpecType.Tool(definition) ? definition : undefined

const failed = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true })

const explain = (error: ServiceError): string => {
  if (error.code === 'unavailable' || error.code === 'deadline')
    return 'the unit did not answer; whether the call took effect is unknown; try again later only if it may be made twice'
  return error.hint === undefined ? error.detail : `${error.detail}; ${error.hint}`
}

const callTool = async ({ unit, token, call }: McpCaller, name: string, args: Record<string, unknown>): Promise<CallToolResult> => {
  const { broker } = unit.peers
  if (broker === null) throw new ServiceError('mcp-disabled')
  try {
    const { error: _refusal, ...result } = await broker.clientCall({ token, call: { name, arguments: args } }, call)
    return isCallToolResult(result) ? result : failed('the tool answered with what is no result of MCP; the call was made')
  } catch (error) {
    if (isServiceError(error)) return failed(explain(error))
    throw error
  }
}

/** Creates the server for one request or one stream of notifications. */
export const createMcpServer = (caller: McpCaller): McpServer => {
  const { unit, token } = caller
  const mcp = new McpServer(
    { name: 'gatehouse', version: unit.boot.version },
    { capabilities: { tools: { listChanged: true } }, instructions },
  )
  mcp.server.setRequestHandler('tools/list', async (_request, { mcpReq: { signal } }) => {
    try {
      const listed = await unit.peers.broker?.clientList({ token }, { ...caller.call, signal })
      count(caller, 'list', 'ok')
      return { tools: [...(listed?.tools ?? []).flatMap((tool) => toTool(tool) ?? []), requestChangeTool] }
    } catch (error) {
      count(caller, 'list', 'error')
      throw toProtocolError(error)
    }
  })
  mcp.server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, { mcpReq: { signal } }) => {
    const own = { ...caller, call: { ...caller.call, signal } }
    const isRequest = name === requestChangeTool.name
    const result = isRequest ? await requestChange(own, args) : await callTool(own, name, args)
    count(caller, isRequest ? 'request-change' : 'call', result.isError === true ? 'error' : 'ok')
    return result
  })
  return mcp
}
