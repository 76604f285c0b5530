// What one group lacks of its declaration.
import {
  type AgentGroup,
  type AgentGroupID,
  alwaysOnTools,
  builtinTools,
  type GrantView,
  isSameServer,
  type Wired,
} from '@gatehouse/contracts'
import type { DeclaredGroup } from './file.ts'
import type { Present } from './read-unit.ts'
import { same, sameSet } from './same.ts'
import type { Step } from './step.ts'

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
    ([name, value]) => !same(value, Object.entries(group?.limits ?? {}).find(([each]) => each === name)?.[1]),
  )
  return missing.length === 0 ? undefined : Object.fromEntries(missing)
}

const permissionsOf = (wanted: DeclaredGroup, group: AgentGroup | undefined): Json | undefined => {
  const { members, model, providerTools } = wanted
  const after = given({
    members: members === undefined || sameSet(members, group?.members ?? []) ? undefined : members,
    model: group === undefined || model === undefined || same(model, group.model) ? undefined : model,
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
    if (grant !== undefined && same({ ...asked, tools: terms.tools.toSorted() }, termsOf(grant))) return []
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
    if (wired?.agentGroupID === id && same(plainWiring(wiring), plainWiring(wired))) return []
    return [{ kind: 'wiring', group: id, after: plainWiring(wiring), before: wired === undefined ? null : plainWiring(wired) } as const]
  })

const slice = (group: AgentGroup | undefined, after: Json): Json | null =>
  group === undefined ? null : Object.fromEntries(Object.entries(group).filter(([name]) => name in after))

/** A group that is not there is asked for first; the rest waits for it. */
export const planGroup = (id: AgentGroupID, wanted: DeclaredGroup, present: Present): Step[] => {
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
