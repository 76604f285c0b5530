// The table of change kinds, with the facts that every process needs. `packages/gateway/src/kinds` defines how the gateway verifies
// and applies each kind.
import * as v from 'valibot'
import { AgentCreate, AgentRemove, Mounts, Permissions, Persona, Tools, Wiring } from './agents.ts'
import { Packages } from './packages.ts'
import { McpAccess, McpRegister, McpRevoke } from './servers.ts'

export interface KindFacts {
  /** The schema of `after`. */
  readonly schema: v.GenericSchema<unknown, Record<string, unknown>>
  /** What the kind does, as a verb and its object, for the reference. */
  readonly summary: string
  /** The risk of changes of this kind, for the reference. */
  readonly risks: string
  /** Other spellings that a submission may use. */
  readonly aliases: readonly string[]
  /** Whether an agent may request it from inside its sandbox. */
  readonly requestableByAgents: boolean
  /** Whether every change of this kind only removes access, so its requester may approve it and a freeze does not stop it. */
  readonly narrowing: boolean
  /** Whether another change can undo it. */
  readonly revertible: boolean
  /** `unit`: it affects other groups too, so a token that is limited to some groups may not approve it. */
  readonly scope: 'group' | 'unit'
  /** Whether `after` may contain secret values, which are encrypted in the state and masked in every answer. */
  readonly secretive: boolean
}

const defaults = {
  aliases: [],
  requestableByAgents: false,
  narrowing: false,
  revertible: true,
  scope: 'group',
  secretive: false,
} as const

export const kinds = {
  agent_create: {
    ...defaults,
    schema: AgentCreate,
    summary: 'creates an agent group',
    risks: 'low; high for an external agent, which is not sandboxed',
  },
  agent_remove: {
    ...defaults,
    schema: AgentRemove,
    summary: 'removes a group with its sessions; its files are kept for seven days',
    risks: 'medium',
  },
  persona: { ...defaults, schema: Persona, summary: 'replaces its instructions', risks: 'medium' },
  tools: {
    ...defaults,
    schema: Tools,
    summary: 'sets which built-in tools are on',
    risks: 'medium',
    aliases: ['enabled_tools'],
    requestableByAgents: true,
  },
  packages: {
    ...defaults,
    schema: Packages,
    summary: 'sets its npm packages; the approval covers the resolved tree',
    risks: 'high; medium if none remain',
    requestableByAgents: true,
  },
  wiring: {
    ...defaults,
    schema: Wiring,
    summary: 'adds or removes a wiring to a channel address',
    risks: 'medium; high if anyone can message it',
  },
  permissions: {
    ...defaults,
    schema: Permissions,
    summary: 'sets members, model, limits, provider tools',
    risks: 'medium; high if access grows',
  },
  mounts: {
    ...defaults,
    schema: Mounts,
    summary: 'sets which host paths it sees below `/mnt`',
    risks: 'medium; high when writable',
    requestableByAgents: true,
  },
  mcp_access: {
    ...defaults,
    schema: McpAccess,
    summary: 'grants tools of a server, replacing the previous grant; an empty list means every tool that the server declares',
    risks: 'medium; high for all tools, destructive tools, missing evidence or changed definitions',
    requestableByAgents: true,
  },
  mcp_revoke: {
    ...defaults,
    schema: McpRevoke,
    summary: 'ends a grant, or some of its tools',
    risks: 'low; only removes access',
    narrowing: true,
  },
  mcp_register: {
    ...defaults,
    schema: McpRegister,
    summary: 'adds a catalog entry under a free name',
    risks: 'high',
    requestableByAgents: true,
    revertible: false,
    scope: 'unit',
    secretive: true,
  },
} as const satisfies Readonly<Record<string, KindFacts>>

export type Kind = keyof typeof kinds
export type After<K extends Kind> = v.InferOutput<(typeof kinds)[K]['schema']>
/** A kind that an agent may request from inside its sandbox. */
export type RequestableKind = { [K in Kind]: (typeof kinds)[K]['requestableByAgents'] extends true ? K : never }[Kind]

const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name)
const isRequestable = (kind: Kind): kind is RequestableKind => kinds[kind].requestableByAgents

/** In the order of the table. */
export const kindNames: readonly Kind[] = /* @__PURE__ */ Object.keys(kinds).filter(isKind)
export const requestableKinds: readonly RequestableKind[] = /* @__PURE__ */ kindNames.filter(isRequestable)
export const Kind = v.picklist(kindNames)

/** The kind by its name or one of its aliases; undefined for anything else. */
export const findKind = (name: string): Kind | undefined =>
  isKind(name) ? name : kindNames.find((kind) => (kinds[kind].aliases as readonly string[]).includes(name))

export const Risk = v.picklist(['low', 'medium', 'high'])
export type Risk = v.InferOutput<typeof Risk>
