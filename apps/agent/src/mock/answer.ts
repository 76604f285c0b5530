// The answers of the mock agent: offline and deterministic, to try a unit without a model.
import { explain, fields, list, problemCode, text } from '../host/fields.ts'
import { type Answer, Unanswered } from '../host/request.ts'
import type { SessionClient, SessionInfo } from '../host/session.ts'
import { ListRefused, type ToolsClient } from '../host/tools.ts'
import type { Places } from '../tools/own.ts'
import { callBuiltin, isBuiltin, listBuiltins, type Say } from './builtin.ts'

export interface AnswerContext {
  readonly session: SessionClient
  /** Null if this unit has no tool servers. */
  readonly tools: ToolsClient | null
  /** Tool names, listed at launch or as soon as possible. */
  readonly toolNames: () => Promise<readonly string[]>
  /** The session as read at launch. */
  readonly info: SessionInfo
  readonly places: Places
  readonly signal: AbortSignal
  /** Sends a message besides the answer. */
  readonly say: Say
}

const noServers = 'this unit has no tool servers'

/** Error codes of refusals, as opposed to failures. */
const refusals: ReadonlySet<string> = new Set(['not-granted', 'not-declared', 'definition-changed', 'revoked', 'frozen'])

const blockText = (value: unknown): string => {
  const block = fields(value)
  return text(block['text']) ?? `[${text(block['type']) ?? 'content'}]`
}

const describeError = (error: unknown, status: number): string =>
  `${refusals.has(problemCode(error)) ? 'refused' : 'failed'}: ${explain(error, status)}`

const describeResult = ({ status, body }: Answer): string => {
  if (status !== 200) return describeError(body, status)
  const result = fields(body)
  if (result['error'] !== undefined) return describeError(result['error'], status)
  const blocks = list(result['content']).map(blockText).join('\n')
  const shown = blocks === '' && result['structuredContent'] !== undefined ? JSON.stringify(result['structuredContent']) : blocks
  return result['isError'] === true ? `error: ${shown}` : shown
}

const callTool = async (tools: ToolsClient | null, name: string, args: unknown): Promise<string> => {
  if (tools === null) return `refused: ${noServers}`
  try {
    return describeResult(await tools.call(name, args))
  } catch (error) {
    if (error instanceof Unanswered) return `outcome unknown: the response of ${name} was lost (${error.message})`
    throw error
  }
}

const listTools = async ({ toolNames }: AnswerContext): Promise<string> => {
  try {
    return (await toolNames()).join(', ') || 'no tools'
  } catch (error) {
    if (error instanceof ListRefused) return `refused: ${error.message}`
    throw error
  }
}

const describeChange = (kind: string, { status, body }: Answer): string => {
  const { id, state, failure, reason } = fields(body)
  if (text(id) === undefined || text(state) === undefined) return `refused: ${explain(body, status)}`
  const why = text(fields(failure)['reason']) ?? text(reason)
  return `requested ${kind}: ${text(id)} is ${text(state)}${why === undefined ? '' : ` (${why})`}`
}

const withdraw = async (session: SessionClient, changeID: string): Promise<string> => {
  const { status, body } = await session.withdrawChange(changeID, 'withdrawn in a conversation')
  const { id, state } = fields(body)
  return text(state) === undefined ? `refused: ${explain(body, status)}` : `${text(id)} is ${text(state)}`
}

const requestChange = async (session: SessionClient, kind: string, after: unknown): Promise<string> => {
  if (kind === 'withdraw') return withdraw(session, text(fields(after)['id']) ?? '')
  try {
    return describeChange(kind, await session.requestChange({ kind, after, reason: 'requested in a conversation' }))
  } catch (error) {
    if (error instanceof Unanswered) return `outcome unknown: the response to the request for ${kind} was lost (${error.message})`
    throw error
  }
}

export const answer = async (command: Command, context: AnswerContext): Promise<string> => {
  switch (command.type) {
    case 'echo':
      return `echo: ${command.text}`
    case 'tools':
      return listTools(context)
    case 'builtins':
      return listBuiltins(context.info)
    case 'tool':
      return isBuiltin(command.name)
        ? callBuiltin(context, command.name, command.arguments)
        : callTool(context.tools, command.name, command.arguments)
    case 'request':
      return requestChange(context.session, command.kind, command.after)
    case 'unreadable':
      return `cannot parse the command: ${command.why}`
  }
}

/** The command in a message to the mock agent. */
export type Command =
  | { readonly type: 'echo'; readonly text: string }
  | { readonly type: 'tools' }
  | { readonly type: 'builtins' }
  | { readonly type: 'tool'; readonly name: string; readonly arguments: unknown }
  | { readonly type: 'request'; readonly kind: string; readonly after: unknown }
  | { readonly type: 'unreadable'; readonly why: string }

const pattern = /^(tool|request):(\S+)\s*([\s\S]*)$/

const parseObject = (json: string): { value: object } | { why: string } => {
  try {
    const value: unknown = json === '' ? {} : JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value }
    return { why: `expected a JSON object, got ${json}` }
  } catch (error) {
    return { why: `expected a JSON object: ${error instanceof Error ? error.message : String(error)}` }
  }
}

export const readCommand = (message: string): Command => {
  const line = message.trim()
  if (line === 'tools') return { type: 'tools' }
  if (line === 'tools builtin') return { type: 'builtins' }
  const match = pattern.exec(line)
  if (match === null) {
    return line === 'tool:' || line === 'request:'
      ? { type: 'unreadable', why: `expected ${line}<name> {json}` }
      : { type: 'echo', text: message }
  }
  const [, verb, name = '', json = ''] = match
  const parsed = parseObject(json)
  if ('why' in parsed) return { type: 'unreadable', why: `after ${verb}:${name}, ${parsed.why}` }
  return verb === 'tool' ? { type: 'tool', name, arguments: parsed.value } : { type: 'request', kind: name, after: parsed.value }
}
