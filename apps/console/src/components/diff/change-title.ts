// The title of a change: what will be different, rather than the state that results. Pure functions.
import { type After, type Change, Evidence, type Kind, kinds, McpAccess, PackageName, WiringTerms } from '@gatehouse/contracts'
import * as v from 'valibot'
import { diffNames } from './diff-mark.ts'
import { readAs } from '../read-as.ts'
import { describeLimit, limitNames, nameList } from '../units.ts'

type Titled = Pick<Change, 'kind' | 'agentGroupID' | 'before' | 'after' | 'evidence' | 'summary'>

const GrantTerms = v.object(McpAccess.entries)
const Installed = v.object({ npm: v.array(PackageName) })

interface Names {
  readonly gained: readonly string[]
  readonly lost: readonly string[]
}

const compareNames = (before: readonly string[], after: readonly string[]): Names => {
  const marks = diffNames(before, after)
  const withMark = (mark: 'gained' | 'lost'): string[] => marks.filter(({ turn }) => turn === mark).map(({ name }) => name)
  return { gained: withMark('gained'), lost: withMark('lost') }
}

/** Marks the tools that their server declares destructive. */
const toolNames = (names: readonly string[], { evidence }: Titled): string => {
  const observed = readAs(Evidence, evidence)
  const tools = observed?.status === 'observed' ? observed.tools : []
  const isDestructive = (name: string): boolean =>
    tools.some((tool) => tool.name === name && tool.annotations?.['destructiveHint'] === true)
  return nameList(names.map((name) => (isDestructive(name) ? `${name} (destructive)` : name)))
}

const access = (change: Titled): string | undefined => {
  const after = readAs(GrantTerms, change.after)
  const before = readAs(GrantTerms, change.before)
  if (after === undefined) return undefined
  const subject = `${change.agentGroupID}’s access to ${after.server}`
  if (before === undefined) {
    const tools = after.tools.length === 0 ? 'every tool' : toolNames(after.tools, change)
    return `Grant ${change.agentGroupID} ${tools} of ${after.server}`
  }
  if (after.tools.length === 0) return before.tools.length === 0 ? `Change the terms of ${subject}` : `Extend ${subject} to every tool`
  if (before.tools.length === 0) return `Narrow ${subject} to ${toolNames(after.tools, change)}`
  const { gained, lost } = compareNames(before.tools, after.tools)
  if (gained.length > 0 && lost.length > 0) return `Add ${toolNames(gained, change)} to ${subject} and remove ${toolNames(lost, change)}`
  if (gained.length > 0) return `Add ${toolNames(gained, change)} to ${subject}`
  return lost.length > 0 ? `Remove ${toolNames(lost, change)} from ${subject}` : `Change the terms of ${subject}`
}

const revocation = (change: Titled): string | undefined => {
  const after = readAs(kinds.mcp_revoke.schema, change.after)
  if (after === undefined) return undefined
  const subject = `${change.agentGroupID}’s access to ${after.server}`
  return after.tools === undefined ? `Revoke ${subject}` : `Remove ${toolNames(after.tools, change)} from ${subject}`
}

const registration = ({ after }: Titled): string | undefined => {
  const entry = readAs(kinds.mcp_register.schema, after)
  if (entry === undefined) return undefined
  return `Add MCP server ${entry.name} ${entry.transport === 'http' ? `at ${entry.url}` : `that runs ${entry.command}`}`
}

const tools = ({ agentGroupID, before, after }: Titled): string | undefined => {
  const enabled = readAs(kinds.tools.schema, after)?.enabled
  if (enabled === undefined) return undefined
  const always: readonly string[] = ['send_message', 'request_capability_change']
  const { gained, lost } = compareNames(readAs(kinds.tools.schema, before)?.enabled ?? [], enabled)
  const off = lost.filter((name) => !always.includes(name))
  const parts = [...(gained.length > 0 ? [`turn on ${nameList(gained)}`] : []), ...(off.length > 0 ? [`turn off ${nameList(off)}`] : [])]
  const text = parts.join(' and ')
  return text === '' ? undefined : `${text.charAt(0).toUpperCase()}${text.slice(1)} for ${agentGroupID}`
}

const limitParts = (before: After<'permissions'>, after: After<'permissions'>): string[] =>
  limitNames.flatMap((name) => {
    const value = after.limits?.[name]
    return value === undefined || value === before.limits?.[name] ? [] : [describeLimit(name, value)]
  })

const permissions = (change: Titled): string | undefined => {
  const after = readAs(kinds.permissions.schema, change.after)
  const before = readAs(kinds.permissions.schema, change.before) ?? {}
  if (after === undefined) return undefined
  const limits = limitParts(before, after)
  const people = after.members?.length
  const parts = [
    ...(after.model !== undefined && after.model.id !== before.model?.id ? [`model ${after.model.id} of ${after.model.provider}`] : []),
    ...limits,
    ...(people === undefined ? [] : [people === 0 ? 'anyone at its addresses may talk to it' : `${people} members may talk to it`]),
    ...(after.providerTools === undefined ? [] : [`provider tools ${nameList(after.providerTools) || 'none'}`]),
  ]
  const what = limits.length === parts.length ? 'limits' : 'permissions'
  return parts.length === 0 ? undefined : `Change ${what} of ${change.agentGroupID}: ${parts.join(', ')}`
}

const wiring = ({ agentGroupID, before, after }: Titled): string | undefined => {
  const terms = readAs(kinds.wiring.schema, after)
  if (terms === undefined) return undefined
  if ('remove' in terms) return `Disconnect ${agentGroupID} from ${terms.remove.channel} ${terms.remove.address}`
  const verb = readAs(WiringTerms, before) === undefined ? 'Connect' : 'Change the connection of'
  return `${verb} ${agentGroupID} to ${terms.channel} ${terms.address}`
}

const mounts = ({ agentGroupID, before, after }: Titled): string | undefined => {
  const has = readAs(kinds.mounts.schema, after)?.mounts
  if (has === undefined) return undefined
  const text = ({ source, mode }: { readonly source: string; readonly mode: string }): string =>
    `${source} (${mode === 'rw' ? 'read and write' : 'read-only'})`
  const { gained, lost } = compareNames((readAs(kinds.mounts.schema, before)?.mounts ?? []).map(text), has.map(text))
  if (gained.length === 0 && lost.length === 0) return undefined
  return [
    ...(gained.length > 0 ? [`Mount ${nameList(gained)} in ${agentGroupID}`] : []),
    ...(lost.length > 0 ? [`${gained.length > 0 ? 'unmount' : 'Unmount'} ${nameList(lost)}`] : []),
  ].join(' and ')
}

const packages = ({ agentGroupID, before, after }: Titled): string | undefined => {
  const has = readAs(Installed, after)?.npm
  if (has === undefined) return undefined
  const { gained, lost } = compareNames(readAs(Installed, before)?.npm ?? [], has)
  if (gained.length > 0) return `Install ${nameList(gained)} in ${agentGroupID}`
  return lost.length > 0 ? `Remove packages ${nameList(lost)} from ${agentGroupID}` : undefined
}

const titles: Readonly<Partial<Record<Kind, (change: Titled) => string | undefined>>> = {
  agent_create: ({ after }) => {
    const group = readAs(kinds.agent_create.schema, after)
    return group && `Create agent group ${group.id} (${group.name})`
  },
  agent_remove: ({ agentGroupID }) => `Remove agent group ${agentGroupID}`,
  persona: ({ agentGroupID, before }) =>
    `${(readAs(kinds.persona.schema, before)?.instructions ?? '') === '' ? 'Set' : 'Change'} the instructions of ${agentGroupID}`,
  tools,
  packages,
  wiring,
  permissions,
  mounts,
  mcp_access: access,
  mcp_revoke: revocation,
  mcp_register: registration,
}

/** The sentence of the gateway where the change has a shape that this console does not know. */
export const changeTitle = (change: Titled): string => titles[change.kind]?.(change) ?? change.summary
