// Compares a declaration with a unit: the steps that are missing, in the order in which they can be submitted.
import {
  type AgentGroup,
  AgentGroupID,
  alwaysOnTools,
  builtinTools,
  type CatalogEntry,
  type GrantView,
  isSameServer,
  type Wired,
} from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Present } from './current.ts'
import { deepEqual, sameSet } from './deep-equal.ts'
import type { Declaration, DeclaredGroup } from './file.ts'
import type { Plan, Step } from './step.ts'

/** What one group lacks of its declaration. */
type Json = Record<string, unknown>

const given = (state: Json): Json => Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined))

const toolsOf = (wanted: DeclaredGroup, group: AgentGroup | undefined): Step['after'] | undefined => {
  if (wanted.tools === undefined) return undefined
  const on = new Set<string>([...wanted.tools, ...alwaysOnTools])
  const enabled = builtinTools.filter((tool) => on.has(tool))
  return group !== undefined && sameSet(enabled, group.tools) ? undefined : { enabled }
}

const limitsOf = ({ limits = {} }: DeclaredGroup, group: AgentGroup | undefined): Json | undefined => {
  const missing = Object.entries(limits).filter(
    ([name, value]) => !deepEqual(value, Object.entries(group?.limits ?? {}).find(([each]) => each === name)?.[1]),
  )
  return missing.length === 0 ? undefined : Object.fromEntries(missing)
}

const permissionsOf = (wanted: DeclaredGroup, group: AgentGroup | undefined): Json | undefined => {
  const { members, model, providerTools } = wanted
  const after = given({
    members: members === undefined || sameSet(members, group?.members ?? []) ? undefined : members,
    model: group === undefined || model === undefined || deepEqual(model, group.model) ? undefined : model,
    limits: limitsOf(wanted, group),
    providerTools: providerTools === undefined || sameSet(providerTools, group?.providerTools ?? []) ? undefined : providerTools,
  })
  return Object.keys(after).length === 0 ? undefined : after
}

const mountsOf = ({ mounts }: DeclaredGroup, group: AgentGroup | undefined): Json | undefined => {
  if (mounts === undefined) return undefined
  const plain = (group?.mounts ?? []).map(({ source, target, mode }) => ({ source, target, mode }))
  return sameSet(mounts, plain) ? undefined : { mounts: mounts.toSorted((a, b) => (a.target < b.target ? -1 : 1)) }
}

const termsOf = ({ tools, expiresAt, maxCalls }: Pick<GrantView, 'tools' | 'expiresAt' | 'maxCalls'>): Json =>
  given({ tools: tools.toSorted(), expiresAt, maxCalls })

const grantSteps = (id: AgentGroupID, wanted: DeclaredGroup, { grants, servers }: Present): Step[] =>
  Object.entries(wanted.grants ?? {}).flatMap(([server, terms]) => {
    const grant = grants.find((each) => each.agentGroupID === id && isSameServer(each.server, server) && each.state === 'active')
    const asked = given({ tools: terms.tools, expiresAt: terms.expiresAt, maxCalls: terms.maxCalls })
    if (grant !== undefined && deepEqual({ ...asked, tools: terms.tools.toSorted() }, termsOf(grant))) return []
    const there = servers?.some(({ name }) => isSameServer(name, server)) === true
    const before = grant === undefined ? null : { server, ...termsOf(grant) }
    return [
      {
        kind: 'mcp_access',
        group: id,
        after: { server, ...asked },
        before,
        ...(!there && { waitsFor: `the tool server ${server}` }),
      } as const,
    ]
  })

const plainWiring = ({ channel, address, engage, pattern, session }: Omit<Wired, 'agentGroupID' | 'changeID'>): Json =>
  given({ channel, address, engage, pattern, session })

const wiringSteps = (id: AgentGroupID, wanted: DeclaredGroup, { wirings }: Present): Step[] =>
  (wanted.wirings ?? []).flatMap((wiring) => {
    const wired = wirings.find(({ channel, address }) => channel === wiring.channel && address === wiring.address)
    if (wired?.agentGroupID === id && deepEqual(plainWiring(wiring), plainWiring(wired))) return []
    return [{ kind: 'wiring', group: id, after: plainWiring(wiring), before: wired === undefined ? null : plainWiring(wired) } as const]
  })

const slice = (group: AgentGroup | undefined, after: Json): Json | null =>
  group === undefined ? null : Object.fromEntries(Object.entries(group).filter(([name]) => name in after))

/** A group that is not there is asked for first; the rest waits for it. */
const planGroup = (id: AgentGroupID, wanted: DeclaredGroup, present: Present): Step[] => {
  const group = present.groups.find((each) => each.id === id)
  const create: Step[] =
    group === undefined
      ? [
          {
            kind: 'agent_create',
            group: id,
            before: null,
            after: given({ id, name: wanted.name ?? id, agent: wanted.agent, persona: wanted.persona, model: wanted.model }),
          },
        ]
      : []
  const steps: Step[] = []
  if (group !== undefined && wanted.persona !== undefined && wanted.persona !== group.persona) {
    steps.push({ kind: 'persona', group: id, after: { instructions: wanted.persona }, before: { instructions: group.persona } })
  }
  const tools = toolsOf(wanted, group)
  if (tools !== undefined)
    steps.push({ kind: 'tools', group: id, after: tools, before: group === undefined ? null : { enabled: group.tools } })
  const permissions = permissionsOf(wanted, group)
  if (permissions !== undefined) steps.push({ kind: 'permissions', group: id, after: permissions, before: slice(group, permissions) })
  const mounts = mountsOf(wanted, group)
  if (mounts !== undefined) steps.push({ kind: 'mounts', group: id, after: mounts, before: slice(group, mounts) })
  steps.push(...grantSteps(id, wanted, present), ...wiringSteps(id, wanted, present))
  return [...create, ...steps.map((step) => (group === undefined ? { ...step, waitsFor: `the group ${id}` } : step))]
}

/** An empty image is none, and its id is the unit's to find. */
const plain = (entry: CatalogEntry): object =>
  entry.transport === 'stdio' ? { ...entry, image: entry.image === '' ? undefined : entry.image, imageID: undefined } : entry

/** A new entry is asked for in the name of a group that is there. */
const sponsorOf = (declaration: Declaration, present: Present): string | undefined =>
  Object.keys(declaration.groups).find((id) => present.groups.some((group) => group.id === id)) ?? present.groups[0]?.id

const serverSteps = (declaration: Declaration, present: Present): Step[] => {
  const sponsor = sponsorOf(declaration, present)
  return Object.entries(declaration.servers).flatMap(([name, entry]) =>
    present.servers?.some((server) => isSameServer(server.name, name)) === true
      ? []
      : [
          {
            kind: 'mcp_register',
            group: sponsor ?? Object.keys(declaration.groups)[0] ?? '-',
            after: { name, ...entry },
            before: null,
            ...(sponsor === undefined && { waitsFor: 'a group' }),
          } as const,
        ],
  )
}

/** What no change of this kind can bring. */
const otherDifferences = ({ servers, groups }: Declaration, present: Present): string[] => [
  ...Object.entries(servers).flatMap(([name, entry]) => {
    const there = present.servers?.find((server) => isSameServer(server.name, name))
    return there === undefined || deepEqual(plain(entry), plain(there.entry))
      ? []
      : [`the tool server ${name} has another entry: svcctl mcp edit ${name}`]
  }),
  ...Object.entries(groups).flatMap(([id, { agent, name }]) => {
    const there = present.groups.find((group) => group.id === id)
    if (there === undefined) return []
    return [
      ...(there.agent === agent ? [] : [`the group ${id} runs ${there.agent} and keeps it: svcctl group remove ${id}, then apply again`]),
      ...(name === undefined || there.name === name ? [] : [`the group ${id} has another name and keeps it: svcctl group show ${id}`]),
    ]
  }),
]

export const buildPlan = (declaration: Declaration, present: Present): Plan => ({
  steps: [
    ...serverSteps(declaration, present),
    ...Object.entries(declaration.groups).flatMap(([id, group]) => planGroup(v.parse(AgentGroupID, id), group, present)),
  ],
  others: otherDifferences(declaration, present),
})
