// The table of kinds of change: one row a kind, with what every process needs to know of it.
// How the gateway verifies and applies a kind is defined in `packages/gateway/src/kinds`, on top of its row here.
import * as v from 'valibot'
import { AgentCreate, AgentRemove, Mounts, Permissions, Persona, Tools, Wiring } from './agents.ts'
import { Packages } from './packages.ts'
import { McpAccess, McpRegister, McpRevoke } from './servers.ts'

export interface KindFacts {
  /** The shape of `after`. */
  readonly schema: v.GenericSchema<unknown, Record<string, unknown>>
  /** A verb and its object, for the reference. */
  readonly summary: string
  /** Which changes of the kind have which risk, for the reference. */
  readonly risks: string
  /** Other spellings that a submission may use. */
  readonly aliases: readonly string[]
  /** Whether an agent may request it from inside its sandbox. */
  readonly requestableByAgents: boolean
  /** Every change of the kind only removes power, so its requester may approve it, and a freeze does not stop it. */
  readonly narrowing: boolean
  /** Whether another change can undo it. */
  readonly revertible: boolean
  /** `unit`: it affects other groups too, so a token that is limited to some groups may not approve it. */
  readonly scope: 'group' | 'unit'
  /** Whether `after` may hold secret values: they are sealed in the state, and masked in every answer. */
  readonly secretive: boolean
}

const usual = {
  aliases: [],
  requestableByAgents: false,
  narrowing: false,
  revertible: true,
  scope: 'group',
  secretive: false,
} as const

export const kinds = {
  agent_create: {
    ...usual,
    schema: AgentCreate,
    summary: 'creates an agent group',
    risks: 'low; high for an external agent, which is not sandboxed',
  },
  agent_remove: {
    ...usual,
    schema: AgentRemove,
    summary: 'removes a group with its sessions; its files are kept for seven days',
    risks: 'medium',
  },
  persona: { ...usual, schema: Persona, summary: 'replaces its instructions', risks: 'medium' },
  tools: {
    ...usual,
    schema: Tools,
    summary: 'sets which built-in tools are on',
    risks: 'medium',
    aliases: ['enabled_tools'],
    requestableByAgents: true,
  },
  packages: {
    ...usual,
    schema: Packages,
    summary: 'sets its npm packages; the approval covers the resolved tree',
    risks: 'high; medium if none remain',
    requestableByAgents: true,
  },
  wiring: {
    ...usual,
    schema: Wiring,
    summary: 'adds or removes a wiring to a channel address',
    risks: 'medium; high if everyone may talk to it',
  },
  permissions: {
    ...usual,
    schema: Permissions,
    summary: 'sets members, model, limits, provider tools',
    risks: 'medium; high if access grows',
  },
  mounts: {
    ...usual,
    schema: Mounts,
    summary: 'sets which host paths it sees below `/mnt`',
    risks: 'medium; high when writable',
    requestableByAgents: true,
  },
  mcp_access: {
    ...usual,
    schema: McpAccess,
    summary: 'grants tools of a server, replacing the previous grant; an empty list means every tool that the server declares',
    risks: 'medium; high for all tools, destructive tools, missing evidence or changed definitions',
    requestableByAgents: true,
  },
  mcp_revoke: {
    ...usual,
    schema: McpRevoke,
    summary: 'ends a grant, or some of its tools',
    risks: 'low; only removes access',
    narrowing: true,
  },
  mcp_register: {
    ...usual,
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
export const findKind = (spelling: string): Kind | undefined =>
  isKind(spelling) ? spelling : kindNames.find((kind) => (kinds[kind].aliases as readonly string[]).includes(spelling))

export const Risk = v.picklist(['low', 'medium', 'high'])
export type Risk = v.InferOutput<typeof Risk>
