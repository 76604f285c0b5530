// Every kind of change, with the shape of its `after`.
import * as v from 'valibot'
import { AgentCreate, AgentRemove, Mounts, Permissions, Persona, Tools, Wiring } from './agents.ts'
import { Packages } from './packages.ts'
import { McpAccess, McpRegister, McpRevoke } from './servers.ts'

export const kinds = {
  agent_create: AgentCreate,
  agent_remove: AgentRemove,
  persona: Persona,
  tools: Tools,
  packages: Packages,
  wiring: Wiring,
  permissions: Permissions,
  mounts: Mounts,
  mcp_access: McpAccess,
  mcp_revoke: McpRevoke,
  mcp_register: McpRegister,
} as const

export type Kind = keyof typeof kinds
export const kindNames = [
  'agent_create',
  'agent_remove',
  'persona',
  'tools',
  'packages',
  'wiring',
  'permissions',
  'mounts',
  'mcp_access',
  'mcp_revoke',
  'mcp_register',
] as const satisfies readonly Kind[]
export const Kind = v.picklist(kindNames)
export type After<K extends Kind> = v.InferOutput<(typeof kinds)[K]>

/** Other spellings that a submission may use. */
export const kindAliases: Readonly<Record<string, Kind>> = { enabled_tools: 'tools' }

/** Kinds that an agent may ask for from inside its sandbox. */
export const agentKinds = ['mcp_access', 'mcp_register', 'packages', 'tools', 'mounts'] as const satisfies readonly Kind[]

export const Risk = v.picklist(['low', 'medium', 'high'])
export type Risk = v.InferOutput<typeof Risk>
