// All that a group can do, in one list: each power once, in the order in which a reader weighs them.
import { alwaysOnTools, type AgentGroup, type Grant, type Power, type Wired } from '@gatehouse/contracts'
import { heardAt } from '../kinds/heard.ts'
import type { Share } from '../registry/world.ts'
import { grantedPowers, type Offer } from './granted.ts'

export interface Standing {
  /** Neither revoked nor suspended nor expired nor used up. */
  readonly holds: (grant: Grant) => boolean
  readonly offerOf: (server: Grant['server']) => Promise<Offer>
}

const engagements = { all: 'answers everything', mention: 'answers when mentioned', pattern: 'answers what fits a pattern' } as const

const modelOf = ({ agent, model }: AgentGroup): Power => ({
  area: 'model',
  name: agent === 'mock' ? 'mock agent' : model === undefined ? "the unit's own model" : `${model.provider}/${model.id}`,
  marks: [],
})

const toolsOf = ({ tools }: AgentGroup): Power[] =>
  [...new Set([...alwaysOnTools, ...tools])].map((name) => ({ area: 'tool', name, marks: name === 'run_script' ? ['runs-programs'] : [] }))

const mountsOf = ({ mounts }: AgentGroup): Power[] =>
  mounts.map(({ source, target, mode }) => ({
    area: 'mount',
    name: source,
    detail: `as ${target}, ${mode === 'rw' ? 'to read and write' : 'to read'}`,
    marks: mode === 'rw' ? ['writes'] : [],
  }))

const restOf = ({ packages, members, limits, providerTools }: AgentGroup): Power[] => [
  ...providerTools.map((name): Power => ({ area: 'provider-tool', name, marks: [] })),
  ...(packages?.npm ?? []).map((name): Power => ({ area: 'package', name, marks: [] })),
  ...members.map(({ channel, user }): Power => ({ area: 'member', name: `${channel} ${user}`, marks: [] })),
  ...Object.entries(limits).flatMap(([name, value]): Power[] =>
    value === undefined ? [] : [{ area: 'limit', name, detail: String(value), marks: [] }],
  ),
]

const channelsOf = (group: AgentGroup, wirings: readonly Wired[]): Power[] =>
  wirings
    .filter(({ agentGroupID }) => agentGroupID === group.id)
    .map(({ channel, address, engage, pattern }) => ({
      area: 'channel',
      name: `${channel} ${address}`,
      detail: `hears ${heardAt(channel, group)}, ${engagements[engage]}${pattern === undefined ? '' : ` ${pattern}`}`,
      marks: group.members.length === 0 ? ['anybody'] : [],
    }))

/** Null where there is no group. */
export const powersOf = async ({ group, grants, wirings }: Share, { holds, offerOf }: Standing): Promise<Power[] | null> => {
  if (group === undefined) return null
  const held = grants.filter(holds).toSorted((a, b) => (a.server < b.server ? -1 : 1))
  const granted = await Promise.all(held.map(async (grant) => grantedPowers(grant, await offerOf(grant.server))))
  return [modelOf(group), ...toolsOf(group), ...granted.flat(), ...mountsOf(group), ...channelsOf(group, wirings), ...restOf(group)]
}
