// The tool with which a client outside a sandbox requests a change, checks its state or withdraws it. A pending change is a normal
// result.
import { ChangeID, isServiceError, Reason } from '@gatehouse/contracts'
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import * as v from 'valibot'
import type { McpCaller } from './caller.ts'

const kinds = ['mcp_access', 'mcp_register', 'status', 'withdraw'] as const

export const requestChangeTool: Tool = {
  name: 'request_capability_change',
  title: 'Request a change',
  description:
    'Requests a change of your permissions. kind mcp_access: after {"server":…,"tools":[…]} for tools of a tool server. kind mcp_register: a new tool server. kind status: after {"id":"chg_…"} returns the state of one of your requests. kind withdraw: after {"id":"chg_…"} withdraws a pending request. A request is held until a human decides: continue with what you can do without it. When it is approved, the list of tools changes.',
  inputSchema: {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: [...kinds] },
      after: { type: 'object', description: 'the state to request' },
      reason: { type: 'string', minLength: 1, maxLength: 4096, description: 'the reason, for the human who decides' },
    },
    required: ['kind', 'after'],
    additionalProperties: false,
  },
}

const Arguments = v.strictObject({ kind: v.picklist(kinds), after: v.looseObject({}), reason: v.optional(Reason) })
const ByID = v.looseObject({ id: ChangeID })

const meanings: Readonly<Record<string, string>> = {
  held: 'A human decides, which may take a long time. Do not wait or ask again. Tell the user what you requested and why, and continue with what you can do without it. Check its status later.',
  approved: 'It is being applied.',
  applied: 'It is in effect. List the tools again.',
  refused: 'A rule refused it, so it is not pending. Request something else, or tell the user.',
  rejected: 'A human rejected it. Do not request the same again; tell the user, or find another way.',
  expired: 'No one decided in time. Request it again only if the user wants it.',
  withdrawn: 'It is no longer pending. Request it again only if the user wants it.',
}

const answer = (text: string, isError = false): CallToolResult => ({ content: [{ type: 'text', text }], isError })

const describe = ({ id, state }: { id: string; state: string }, why?: string): CallToolResult =>
  answer(`Change ${id} is ${state}${why === undefined ? '' : ` (${why})`}. ${meanings[state] ?? ''}`.trim())

const act = async ({ unit, token, call }: McpCaller, { kind, after, reason }: v.InferOutput<typeof Arguments>): Promise<CallToolResult> => {
  const { gateway } = unit.peers
  if (kind !== 'status' && kind !== 'withdraw') return describe(await gateway.clientSubmit({ token, kind, after, reason }, call))
  const target = v.safeParse(ByID, after)
  if (!target.success) return answer('after must be {"id":"chg_…"} with the id that you got with the request', true)
  const { id } = target.output
  const change = await (kind === 'status' ? gateway.clientChange({ token, id }, call) : gateway.clientWithdraw({ token, id, reason }, call))
  return describe(change, change.failure?.reason ?? change.reason)
}

export const requestChange = async (caller: McpCaller, args: Record<string, unknown>): Promise<CallToolResult> => {
  const parsed = v.safeParse(Arguments, args)
  if (!parsed.success) {
    const at = parsed.issues.map(({ path = [] }) => path.map(({ key }) => String(key)).join('.')).join(', ')
    return answer(`Nothing was requested: the arguments do not match the schema at ${at}`, true)
  }
  try {
    return await act(caller, parsed.output)
  } catch (error) {
    if (!isServiceError(error)) throw error
    const { detail, hint, errors = [] } = error
    const fields = errors.map(({ pointer, detail: expected }) => `${pointer}: ${expected}`)
    return answer([`The request failed: ${detail}`, ...fields, ...(hint === undefined ? [] : [hint])].join('; '), true)
  }
}
