// Flags that replace the JSON of a change for the kinds that people submit by hand.
import { findKind, type Kind, ServiceError } from '@gatehouse/contracts'
import { type EntryFlags, toEntry } from '../catalog/entry.ts'

export interface Shorthand extends EntryFlags {
  readonly group: string
  readonly text?: string | undefined
  readonly server?: string | undefined
  readonly tool?: readonly string[] | undefined
  readonly 'all-tools'?: boolean | undefined
  readonly expires?: string | undefined
  readonly 'max-calls'?: number | undefined
  readonly name?: string | undefined
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly enable?: readonly string[] | undefined
  readonly member?: readonly string[] | undefined
  readonly limit?: readonly string[] | undefined
  readonly 'provider-tool'?: readonly string[] | undefined
  readonly npm?: readonly string[] | undefined
  readonly mount?: readonly string[] | undefined
  readonly remove?: boolean | undefined
  readonly channel?: string | undefined
  readonly address?: string | undefined
  readonly engage?: string | undefined
  readonly pattern?: string | undefined
  readonly session?: string | undefined
}

type State = Record<string, unknown>
type Maker = (sugar: Shorthand) => State

const invalid = (detail: string): ServiceError => new ServiceError('invalid', { detail })

const missing = (kind: string, flags: string): ServiceError =>
  invalid(`expected ${flags} for a change of kind ${kind}, or its state by --after or --file`)

/** Without the members that are undefined. */
const given = (state: State): State => Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined))

/** The two sides of the first separator. */
const halves = (flag: string, text: string, separator: string): [string, string] => {
  const at = text.indexOf(separator)
  if (at < 1 || at === text.length - 1) throw invalid(`expected two parts with ${separator} between them after --${flag}, got ${text}`)
  return [text.slice(0, at), text.slice(at + 1)]
}

const modelOf = (text: string | undefined): State | undefined => {
  if (text === undefined) return undefined
  const [provider, id] = halves('model', text, '/')
  return { provider, id }
}

const memberOf = (text: string): State => {
  const [channel, user] = halves('member', text, ':')
  return { channel, user }
}

const limitOf = (text: string): [string, number] => {
  const [name, number] = halves('limit', text, '=')
  if (!Number.isFinite(Number(number))) throw invalid(`expected a number after --limit ${name}=, got ${number}`)
  return [name, Number(number)]
}

const mountOf = (text: string): State => {
  const [source = '', target, mode = 'ro', ...rest] = text.split(':')
  if (target === undefined || rest.length > 0) throw invalid(`expected SOURCE:TARGET or SOURCE:TARGET:rw after --mount, got ${text}`)
  return { source, target, mode }
}

const grantOf = ({ server, tool = [], 'all-tools': all = false, expires, 'max-calls': maxCalls }: Shorthand): State => {
  if (server === undefined || (tool.length === 0 && !all)) throw missing('mcp_access', '--server and --tool (or --all-tools)')
  return given({ server, tools: all ? [] : tool, expiresAt: expires, maxCalls })
}

const wiringOf = ({ channel, address, engage = 'mention', pattern, session = 'shared', remove = false }: Shorthand): State => {
  if (channel === undefined || address === undefined) throw missing('wiring', '--channel and --address')
  return remove ? { remove: { channel, address } } : given({ channel, address, engage, pattern, session })
}

const permissionsOf = ({ member, model, limit, 'provider-tool': providerTools }: Shorthand): State => {
  const after = given({
    members: member?.map(memberOf),
    model: modelOf(model),
    limits: limit === undefined ? undefined : Object.fromEntries(limit.map(limitOf)),
    providerTools,
  })
  if (Object.keys(after).length === 0) throw missing('permissions', '--member, --model, --limit or --provider-tool')
  return after
}

/** A kind without a row is submitted by --after or --file. */
const makers: Readonly<Partial<Record<Kind, Maker>>> = {
  persona: ({ text }) => {
    if (text === undefined) throw missing('persona', '--text')
    return { instructions: text }
  },
  mcp_access: grantOf,
  mcp_revoke: ({ server, tool = [] }) => {
    if (server === undefined) throw missing('mcp_revoke', '--server')
    return tool.length === 0 ? { server } : { server, tools: tool }
  },
  mcp_register: (sugar) => {
    if (sugar.name === undefined) throw missing('mcp_register', '--name and --command or --url')
    return { name: sugar.name, ...toEntry(sugar) }
  },
  agent_create: ({ group, name = group, agent, text, model }) => {
    if (agent === undefined) throw missing('agent_create', '--agent')
    return given({ id: group, name, agent, persona: text, model: modelOf(model) })
  },
  agent_remove: () => ({}),
  tools: ({ enable }) => {
    if (enable === undefined) throw missing('tools', '--enable')
    return { enabled: enable }
  },
  permissions: permissionsOf,
  packages: ({ npm }) => {
    if (npm === undefined) throw missing('packages', '--npm')
    return { npm }
  },
  mounts: ({ mount }) => {
    if (mount === undefined) throw missing('mounts', '--mount')
    return { mounts: mount.map(mountOf) }
  },
  wiring: wiringOf,
}

/** Throws for a kind without sugar and for sugar that lacks a part. */
export const expandShorthand = (kind: string, sugar: Shorthand): State => {
  const known = findKind(kind)
  const make = known && makers[known]
  if (make === undefined) throw invalid(`expected the wanted state of a change of kind ${kind} by --after or --file`)
  return make(sugar)
}
