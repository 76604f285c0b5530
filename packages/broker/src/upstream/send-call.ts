// One `tools/call` on a connection. Never repeated by itself.
import type { ToolDefinition } from '@gatehouse/contracts'
import type { Connection } from './connection.ts'
import type { Json } from './requests.ts'

export interface DeclaredCall {
  readonly declared: ToolDefinition
  readonly args: Json
}

const known = new WeakMap<ToolDefinition, boolean>()

const marksHeaders = (tool: ToolDefinition): boolean => {
  const marks = known.get(tool) ?? JSON.stringify(tool.inputSchema).includes('"x-mcp-header"')
  known.set(tool, marks)
  return marks
}

export const sendCall = (connection: Connection, { declared, args }: DeclaredCall, signal: AbortSignal): Promise<unknown> =>
  connection.mirrorsArguments && marksHeaders(declared)
    ? connection.callBySdk(declared, args, signal)
    : connection.requests.send('tools/call', { name: declared.name, arguments: args }, signal)
