// The tool by which a client outside of a sandbox requests a change, asks what became of it, or takes it back. That a human must
// decide first is a normal result.
import { ChangeID, isServiceError, Reason } from '@gatehouse/contracts'
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import * as v from 'valibot'
import type { McpCaller } from './caller.ts'

const kinds = ['mcp_access', 'mcp_register', 'status', 'withdraw'] as const

export const requestChangeTool: Tool = {
  name: 'request_capability_change',
  title: 'Request a change',
  description:
    'Requests a change of what you may do. kind mcp_access: after {"server":…,"tools":[…]} for tools of a tool server. kind mcp_register: a new tool server. kind status: after {"id":"chg_…"} reports the state of a request of yours. kind withdraw: after {"id":"chg_…"} takes back a request that is still held. A request is held until a human decides: go on with what you can do without it. Once it is approved the list of tools has changed.',
  inputSchema: {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: [...kinds] },
      after: { type: 'object', description: 'what shall hold after the change' },
      reason: { type: 'string', minLength: 1, maxLength: 4096, description: 'why, for the human who decides' },
    },
    required: ['kind', 'after'],
    additionalProperties: false,
  },
}

const Arguments = v.strictObject({ kind: v.picklist(kinds), after: v.looseObject({}), reason: v.optional(Reason) })
const Named = v.looseObject({ id: ChangeID })

const meanings: Readonly<Record<string, string>> = {
  held: 'A human decides, which may take long. Do not wait and do not ask again. Say what you asked for and why, and go on with what you can do without it. Ask for its status later.',
  approved: 'It is being applied.',
  applied: 'It is in force. List the tools again.',
  refused: 'It was refused by a rule and will not be held. Ask for something else, or tell the human.',
  rejected: 'A human said no. Do not ask for the same again; tell the human, or find another way.',
  expired: 'Nobody decided in time. Ask again only if the human wants it.',
  withdrawn: 'It is no longer pending. Ask again only if the human wants it.',
}

const answer = (text: string, isError = false): CallToolResult => ({ content: [{ type: 'text', text }], isError })

const describe = ({ id, state }: { id: string; state: string }, why?: string): CallToolResult =>
  answer(`Change ${id} is ${state}${why === undefined ? '' : ` (${why})`}. ${meanings[state] ?? ''}`.trim())

const act = async ({ unit, token, call }: McpCaller, { kind, after, reason }: v.InferOutput<typeof Arguments>): Promise<CallToolResult> => {
  const { gateway } = unit.peers
  if (kind !== 'status' && kind !== 'withdraw') return describe(await gateway.clientSubmit({ token, kind, after, reason }, call))
  const named = v.safeParse(Named, after)
  if (!named.success) return answer('after: expected {"id":"chg_…"}, the id that you were told when it was held', true)
  const { id } = named.output
  const change = await (kind === 'status' ? gateway.clientChange({ token, id }, call) : gateway.clientWithdraw({ token, id, reason }, call))
  return describe(change, change.failure?.reason ?? change.reason)
}

export const requestChange = async (caller: McpCaller, args: Record<string, unknown>): Promise<CallToolResult> => {
  const parsed = v.safeParse(Arguments, args)
  if (!parsed.success) {
    const at = parsed.issues.map(({ path = [] }) => path.map(({ key }) => String(key)).join('.')).join(', ')
    return answer(`Nothing was requested: expected { kind, after, reason } as the schema has them, got something else at ${at}`, true)
  }
  try {
    return await act(caller, parsed.output)
  } catch (error) {
    if (!isServiceError(error)) throw error
    const { detail, hint, errors = [] } = error
    const fields = errors.map(({ pointer, detail: expected }) => `${pointer}: ${expected}`)
    return answer([`The request was not taken: ${detail}`, ...fields, ...(hint === undefined ? [] : [hint])].join('; '), true)
  }
}
