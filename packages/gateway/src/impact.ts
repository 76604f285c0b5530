// The blast radius of a change: effective permissions of its agent now, and if the change were applied.
import {
  type AgentGroup,
  alwaysOnTools,
  type BuiltinTool,
  type Change,
  type Grant,
  type Observation,
  type Power,
  type Reach,
  toolSeparator,
  type Wired,
} from '@gatehouse/contracts'
import { type EvaluateDeps, hasChanged, loadContext, reevaluate } from './changes/evaluate.ts'
import { readObservation } from './evidence/observation.ts'
import type { GrantDeps } from './grants/authorize.ts'
import { isEntryReplaced, isExhausted, isExpired } from './grants/checks.ts'
import { audienceOf } from './kinds/audience.ts'
import type { Effect } from './state/effects.ts'
import { toRow } from './state/grants.ts'
import type { ChangeContext, GroupState } from './state/unit-config.ts'

/** A group's share of the registry as it would be with an effect: in memory, nothing is written. */
const without = (wirings: GroupState['wirings'], place: { readonly channel: string; readonly address: string }): GroupState['wirings'] =>
  wirings.filter(({ channel, address }) => channel !== place.channel || address !== place.address)

const stateAfter = (share: GroupState, effect: Effect): GroupState => {
  switch (effect.type) {
    case 'group':
      return { ...share, group: effect.group }
    case 'group-removed':
      return { group: undefined, grants: [], wirings: share.wirings.filter((wired) => wired.agentGroupID !== effect.agentGroupID) }
    case 'grant':
      return { ...share, grants: [...share.grants.filter(({ server }) => server !== effect.grant.server), effect.grant] }
    case 'wired':
      return { ...share, wirings: [...without(share.wirings, effect.wired), effect.wired] }
    case 'unwired':
      return { ...share, wirings: without(share.wirings, effect) }
    case 'entry':
      return share
  }
}

/** The tools of servers that a grant opens, with what their server last said of each. */
interface Offer {
  /** The server stands in the catalog. */
  readonly configured: boolean
  /** Undefined where its present entry was not listed yet. */
  readonly tools: Observation['tools'] | undefined
}

const termsOf = ({ expiresAt, maxCalls }: Grant): Pick<Power, 'detail'> => {
  const terms = [
    ...(expiresAt === undefined ? [] : [`until ${expiresAt}`]),
    ...(maxCalls === undefined ? [] : [`at most ${maxCalls} calls in all`]),
  ]
  return terms.length === 0 ? {} : { detail: terms.join(', ') }
}

const marksOf = (name: string, { configured, tools }: Offer): Power['marks'] => {
  if (!configured) return ['server-gone']
  if (tools === undefined) return []
  const annotations = tools.find((tool) => tool.name === name)?.annotations
  if (!tools.some((tool) => tool.name === name)) return ['undeclared']
  if (annotations?.['destructiveHint'] === true) return ['destructive']
  return annotations?.['readOnlyHint'] === true ? ['read-only'] : []
}

/** An empty `tools` is every tool that the server declares, and whatever it declares later. */
const grantPermissions = (grant: Grant, offer: Offer): Power[] => {
  const all = grant.tools.length === 0
  const names = all ? (offer.tools ?? []).map(({ name }) => name) : grant.tools
  const powerOf = (tool: string, marks: Power['marks']): Power => ({
    area: 'server-tool',
    name: `${grant.server}${toolSeparator}${tool}`,
    ...termsOf(grant),
    marks,
  })
  const each = [...new Set(names)].map((name) => powerOf(name, marksOf(name, offer)))
  return all ? [powerOf('*', ['every', ...(offer.configured ? [] : (['server-gone'] as const))]), ...each] : each
}

/** All that a group can do, in one list: each power once, in the order in which a reader weighs them. */
interface Standing {
  /** Neither revoked nor suspended nor expired nor used up. */
  readonly holds: (grant: Grant) => boolean
  readonly offerOf: (server: Grant['server']) => Promise<Offer>
}

const engagements = { all: 'answers everything', mention: 'answers when mentioned', pattern: 'answers what fits a pattern' } as const

const agentName = ({ agent, model }: AgentGroup): string => {
  if (agent === 'mock') return 'mock agent'
  if (agent === 'external') return 'a program outside of this unit, not sandboxed'
  return model === undefined ? "the unit's own model" : `${model.provider}/${model.id}`
}

const modelOf = (group: AgentGroup): Power => ({ area: 'model', name: agentName(group), marks: [] })

/** What else a program outside of the unit can do is not the unit's to know. */
const builtinToolsOf = ({ agent, tools }: AgentGroup): readonly BuiltinTool[] =>
  agent === 'external' ? ['request_capability_change'] : [...new Set([...alwaysOnTools, ...tools])]

const toolsOf = (group: AgentGroup): Power[] =>
  builtinToolsOf(group).map((name) => ({ area: 'tool', name, marks: name === 'run_script' ? ['runs-programs'] : [] }))

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
      detail: `hears ${audienceOf(channel, group)}, ${engagements[engage]}${pattern === undefined ? '' : ` ${pattern}`}`,
      marks: group.members.length === 0 ? ['anybody'] : [],
    }))

/** Null where there is no group. */
const permissionsOf = async ({ group, grants, wirings }: GroupState, { holds, offerOf }: Standing): Promise<Power[] | null> => {
  if (group === undefined) return null
  const held = grants.filter(holds).toSorted((a, b) => (a.server < b.server ? -1 : 1))
  const granted = await Promise.all(held.map(async (grant) => grantPermissions(grant, await offerOf(grant.server))))
  return [modelOf(group), ...toolsOf(group), ...granted.flat(), ...mountsOf(group), ...channelsOf(group, wirings), ...restOf(group)]
}

type ReachDeps = EvaluateDeps & GrantDeps

const standingIn = (deps: ReachDeps, context: ChangeContext): Standing => ({
  holds: (grant) => {
    const row = toRow(grant)
    const isSuspended = context.config.pinning === 'strict' && isEntryReplaced(row, context.servers?.get(grant.server))
    return grant.state === 'active' && !isSuspended && !isExpired(row, deps.clock) && !isExhausted(row, deps.counts.of(grant))
  },
  offerOf: async (server) => {
    const digest = context.servers?.get(server)
    const seen = digest === undefined ? undefined : await readObservation(deps.store.read, server, digest)
    return { configured: digest !== undefined, tools: seen?.tools }
  },
})

/** Nothing is written. What the change would do is judged on the evidence that it shows. */
export const impactOf = async (deps: ReachDeps, change: Change): Promise<Omit<Reach, 'approvers'>> => {
  const { agentGroupID } = change
  if (change.state !== 'held') {
    const context = await loadContext(deps, agentGroupID, change.principal)
    return { agentGroupID, why: [], moved: false, can: await permissionsOf(context, standingIn(deps, context)) }
  }
  const { bound, context, shown, draft } = await reevaluate(deps, change)
  const standing = standingIn(deps, context)
  const can = await permissionsOf(context, standing)
  if (draft === undefined) return { agentGroupID, why: [], moved: true, can }
  const effect = bound.apply(shown, { changeID: change.id, at: new Date(context.now).toISOString() })
  return {
    agentGroupID,
    why: bound.why(shown),
    moved: hasChanged(change, draft),
    can,
    could: await permissionsOf(stateAfter(context, effect), standing),
  }
}
