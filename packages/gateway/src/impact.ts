// The impact of a change: effective permissions of its agent group now and after the change.
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
import { describeAudience } from './kinds/terms.ts'
import type { Effect } from './state/effects.ts'
import { toRow } from './state/grants.ts'
import type { ChangeContext, GroupState } from './state/unit-config.ts'

const withoutWiring = (
  wirings: GroupState['wirings'],
  place: { readonly channel: string; readonly address: string },
): GroupState['wirings'] => wirings.filter(({ channel, address }) => channel !== place.channel || address !== place.address)

/** The state of a group after an effect. Nothing is written. */
const stateAfter = (state: GroupState, effect: Effect): GroupState => {
  switch (effect.type) {
    case 'group':
      return { ...state, group: effect.group }
    case 'group-removed':
      return { group: undefined, grants: [], wirings: state.wirings.filter((wired) => wired.agentGroupID !== effect.agentGroupID) }
    case 'grant':
      return { ...state, grants: [...state.grants.filter(({ server }) => server !== effect.grant.server), effect.grant] }
    case 'wired':
      return { ...state, wirings: [...withoutWiring(state.wirings, effect.wired), effect.wired] }
    case 'unwired':
      return { ...state, wirings: withoutWiring(state.wirings, effect) }
    case 'entry':
      return state
  }
}

/** The tools that a server declared last. */
interface ServerTools {
  /** Whether the server is in the catalog. */
  readonly configured: boolean
  /** Undefined if its current entry was not listed yet. */
  readonly tools: Observation['tools'] | undefined
}

const describeTerms = ({ expiresAt, maxCalls }: Grant): Pick<Power, 'detail'> => {
  const terms = [
    ...(expiresAt === undefined ? [] : [`until ${expiresAt}`]),
    ...(maxCalls === undefined ? [] : [`at most ${maxCalls} calls in total`]),
  ]
  return terms.length === 0 ? {} : { detail: terms.join(', ') }
}

const markTool = (name: string, { configured, tools }: ServerTools): Power['marks'] => {
  if (!configured) return ['server-gone']
  if (tools === undefined) return []
  const annotations = tools.find((tool) => tool.name === name)?.annotations
  if (!tools.some((tool) => tool.name === name)) return ['undeclared']
  if (annotations?.['destructiveHint'] === true) return ['destructive']
  return annotations?.['readOnlyHint'] === true ? ['read-only'] : []
}

/** An empty `tools` covers every tool that the server declares now or later. */
const grantPermissions = (grant: Grant, server: ServerTools): Power[] => {
  const all = grant.tools.length === 0
  const names = all ? (server.tools ?? []).map(({ name }) => name) : grant.tools
  const toPower = (tool: string, marks: Power['marks']): Power => ({
    area: 'server-tool',
    name: `${grant.server}${toolSeparator}${tool}`,
    ...describeTerms(grant),
    marks,
  })
  const each = [...new Set(names)].map((name) => toPower(name, markTool(name, server)))
  return all ? [toPower('*', ['every', ...(server.configured ? [] : (['server-gone'] as const))]), ...each] : each
}

interface GrantFacts {
  /** Whether it is active: not revoked, suspended, expired or exhausted. */
  readonly isActive: (grant: Grant) => boolean
  readonly readServer: (server: Grant['server']) => Promise<ServerTools>
}

const engagements = { all: 'answers every message', mention: 'answers when mentioned', pattern: 'answers messages that match' } as const

const agentName = ({ agent, model }: AgentGroup): string => {
  if (agent === 'mock') return 'mock agent'
  if (agent === 'external') return 'external program, not sandboxed'
  return model === undefined ? "the unit's own model" : `${model.provider}/${model.id}`
}

const listModel = (group: AgentGroup): Power => ({ area: 'model', name: agentName(group), marks: [] })

/** Other tools of an external agent are unknown to the unit. */
const listBuiltinTools = ({ agent, tools }: AgentGroup): readonly BuiltinTool[] =>
  agent === 'external' ? ['request_capability_change'] : [...new Set([...alwaysOnTools, ...tools])]

const listTools = (group: AgentGroup): Power[] =>
  listBuiltinTools(group).map((name) => ({ area: 'tool', name, marks: name === 'run_script' ? ['runs-programs'] : [] }))

const listMounts = ({ mounts }: AgentGroup): Power[] =>
  mounts.map(({ source, target, mode }) => ({
    area: 'mount',
    name: source,
    detail: `at ${target}, ${mode === 'rw' ? 'read-write' : 'read-only'}`,
    marks: mode === 'rw' ? ['writes'] : [],
  }))

const listOther = ({ packages, members, limits, providerTools }: AgentGroup): Power[] => [
  ...providerTools.map((name): Power => ({ area: 'provider-tool', name, marks: [] })),
  ...(packages?.npm ?? []).map((name): Power => ({ area: 'package', name, marks: [] })),
  ...members.map(({ channel, user }): Power => ({ area: 'member', name: `${channel} ${user}`, marks: [] })),
  ...Object.entries(limits).flatMap(([name, value]): Power[] =>
    value === undefined ? [] : [{ area: 'limit', name, detail: String(value), marks: [] }],
  ),
]

const listChannels = (group: AgentGroup, wirings: readonly Wired[]): Power[] =>
  wirings
    .filter(({ agentGroupID }) => agentGroupID === group.id)
    .map(({ channel, address, engage, pattern }) => ({
      area: 'channel',
      name: `${channel} ${address}`,
      detail: `${describeAudience(channel, group)} can message it; ${engagements[engage]}${pattern === undefined ? '' : ` ${pattern}`}`,
      marks: group.members.length === 0 ? ['anybody'] : [],
    }))

/** Everything that a group can do, in the order in which it is shown; null if there is no group. */
const listPermissions = async ({ group, grants, wirings }: GroupState, { isActive, readServer }: GrantFacts): Promise<Power[] | null> => {
  if (group === undefined) return null
  const active = grants.filter(isActive).toSorted((a, b) => (a.server < b.server ? -1 : 1))
  const granted = await Promise.all(active.map(async (grant) => grantPermissions(grant, await readServer(grant.server))))
  return [
    listModel(group),
    ...listTools(group),
    ...granted.flat(),
    ...listMounts(group),
    ...listChannels(group, wirings),
    ...listOther(group),
  ]
}

type ImpactDeps = EvaluateDeps & GrantDeps

const readGrantFacts = (deps: ImpactDeps, context: ChangeContext): GrantFacts => ({
  isActive: (grant) => {
    const row = toRow(grant)
    const isSuspended = context.config.pinning === 'strict' && isEntryReplaced(row, context.servers?.get(grant.server))
    return grant.state === 'active' && !isSuspended && !isExpired(row, deps.clock) && !isExhausted(row, deps.counts.of(grant))
  },
  readServer: async (server) => {
    const digest = context.servers?.get(server)
    const observation = digest === undefined ? undefined : await readObservation(deps.store.read, server, digest)
    return { configured: digest !== undefined, tools: observation?.tools }
  },
})

/** Computes the impact of a change on the evidence that it shows. Nothing is written. */
export const readImpact = async (deps: ImpactDeps, change: Change): Promise<Omit<Reach, 'approvers'>> => {
  const { agentGroupID } = change
  if (change.state !== 'held') {
    const context = await loadContext(deps, agentGroupID, change.principal)
    return { agentGroupID, why: [], moved: false, can: await listPermissions(context, readGrantFacts(deps, context)) }
  }
  const { bound, context, shown, draft } = await reevaluate(deps, change)
  const facts = readGrantFacts(deps, context)
  const can = await listPermissions(context, facts)
  if (draft === undefined) return { agentGroupID, why: [], moved: true, can }
  const effect = bound.apply(shown, { changeID: change.id, at: new Date(context.now).toISOString() })
  return {
    agentGroupID,
    why: bound.why(shown),
    moved: hasChanged(change, draft),
    can,
    could: await listPermissions(stateAfter(context, effect), facts),
  }
}
