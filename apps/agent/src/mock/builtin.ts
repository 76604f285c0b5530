// Built-in tools of the mock agent. The host decides which of them are enabled.
import type { BuiltinTool } from '@gatehouse/contracts'
import { fields, list, text } from '../host/fields.ts'
import type { SessionInfo } from '../host/session.ts'
import { listDir, readFile, writeFile } from '../tools/files.ts'
import type { OwnTool, ToolContext } from '../tools/own.ts'
import { PathRefused } from '../tools/paths.ts'
import { requestChange } from '../tools/request-change.ts'
import { runScript } from '../tools/run-script.ts'
import { checkArguments } from '../tools/schema.ts'
import { search } from '../tools/search.ts'
import { remember } from '../tools/talk.ts'

/** `null` for tools that the mock agent implements itself. */
const tools: Readonly<Record<BuiltinTool, OwnTool | null>> = {
  read_file: readFile,
  write_file: writeFile,
  list_dir: listDir,
  search,
  send_message: null,
  read_persona: null,
  remember,
  run_script: null,
  request_capability_change: requestChange,
}

/** Sends a message. Resolves with the reason if the host refuses it. */
export type Say = (text: string, files: readonly string[]) => Promise<string | undefined>

export const isBuiltin = (name: string): name is BuiltinTool => Object.hasOwn(tools, name)

export const listBuiltins = ({ tools: enabled }: Pick<SessionInfo, 'tools'>): string => enabled.toSorted().join(', ') || 'none'

const runTool = async (tool: OwnTool, args: unknown, context: ToolContext): Promise<string> => {
  const issues = checkArguments(tool.schema, args)
  if (issues.length > 0) return `failed: ${issues.join('. ')}`
  try {
    const outcome = await tool.run(fields(args), context)
    return outcome.failed === true ? `failed: ${outcome.text}` : outcome.text
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof PathRefused) return `failed: ${error.message}`
    return `failed: ${error instanceof Error && 'code' in error ? String(error.code) : String(error)}`
  }
}

/** The reason why a tool that is not listed cannot be called. */
const explainUnavailable = (name: string, { unavailable }: Pick<SessionInfo, 'unavailable'>): string => {
  const reason = text(unavailable[name])
  if (reason === undefined) return `refused: ${name} is turned off for this group (not-enabled)`
  return `refused: ${name} is not available: ${reason} (no-sandbox)`
}

/** Calls a built-in tool, as a model agent does. */
export const callBuiltin = async (context: ToolContext, name: string, args: unknown): Promise<string> => {
  const { persona, tools: enabled } = context.info
  if (!isBuiltin(name) || !enabled.includes(name)) return explainUnavailable(name, context.info)
  const tool = tools[name]
  if (tool !== null) return runTool(tool, args, context)
  if (name === 'run_script') return JSON.stringify(await runScript(args))
  if (name === 'read_persona') return persona
  const { text: message, files } = fields(args)
  const refusal = await context.say(
    text(message) ?? '',
    list(files).flatMap((path) => text(path) ?? []),
  )
  return refusal === undefined ? 'sent' : `refused: ${refusal}`
}
