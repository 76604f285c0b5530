// The shapes of `after`, one row per kind of change.
import * as v from 'valibot'
import { AgentGroupID, ServerName } from '../ids.ts'
import { limits } from '../limits.ts'

const Instructions = v.pipe(v.string(), v.maxBytes(limits.personaText, 'expected at most 64 KiB'))
export const ToolName = v.pipe(v.string(), v.minLength(1), v.maxLength(128))

export const AgentKind = v.picklist(['mock', 'model'])

export const AgentCreate = v.strictObject({
  id: AgentGroupID,
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(128)),
  agent: AgentKind,
  persona: v.optional(Instructions),
})

export const Persona = v.strictObject({ instructions: Instructions })

/** An empty `tools` grants every tool that the server declares. */
export const McpAccess = v.strictObject({ server: ServerName, tools: v.pipe(v.array(ToolName), v.maxLength(limits.listTools)) })

/** Without `tools` the whole grant goes. */
export const McpRevoke = v.strictObject({
  server: ServerName,
  tools: v.optional(v.pipe(v.array(ToolName), v.minLength(1), v.maxLength(limits.listTools))),
})

export const kinds = {
  agent_create: AgentCreate,
  persona: Persona,
  mcp_access: McpAccess,
  mcp_revoke: McpRevoke,
} as const

export type Kind = keyof typeof kinds
export const kindNames = ['agent_create', 'persona', 'mcp_access', 'mcp_revoke'] as const satisfies readonly Kind[]
export const Kind = v.picklist(kindNames)
export type After<K extends Kind> = v.InferOutput<(typeof kinds)[K]>

/** Kinds that an agent may ask for from inside its sandbox. */
export const agentKinds = ['mcp_access'] as const satisfies readonly Kind[]

export const Risk = v.picklist(['low', 'medium', 'high'])
export type Risk = v.InferOutput<typeof Risk>
