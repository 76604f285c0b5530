// Who may talk to a group, which model it uses, how much it may use up. What is not named stays as it is.
import { type After, type AgentGroup, type Failure, GroupLimits, limits } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type ChangeContext, presentGroup } from '../state/unit-config.ts'
import { amount, nameList, quote } from '../text.ts'
import { audienceEvidence } from './audience.ts'
import { isRemoved } from './terms.ts'
import { defineKind, type Inverse, type Json, type VerifyInput } from './kind.ts'
import { unusableChoice } from './model-choice.ts'

type Permissions = After<'permissions'>
type Limit = keyof GroupLimits

/** What holds for a group without a limit of its own; undefined for no limit at all. */
const standard: Readonly<Record<Limit, number | undefined>> = {
  modelTokensPerDay: undefined,
  callsPerMinute: limits.sessionCallsPerMinute,
  memoryMiB: limits.sandboxMemoryMiB,
  cpus: limits.sandboxCpus,
  processes: limits.sandboxProcesses,
  workspaceMiB: limits.sandboxWorkspaceMiB,
}
const limitNames = [
  'modelTokensPerDay',
  'callsPerMinute',
  'memoryMiB',
  'cpus',
  'processes',
  'workspaceMiB',
] as const satisfies readonly Limit[]

const named = (after: Permissions): Limit[] => limitNames.filter((name) => after.limits?.[name] !== undefined)

const pick = (from: GroupLimits, names: readonly Limit[]): GroupLimits =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]))

/** The group's own values of what the change names. */
const slice = (after: Permissions, context: ChangeContext): Json => {
  const { members, model, limits: own, providerTools } = presentGroup(context)
  return {
    ...(after.members === undefined ? {} : { members }),
    ...(after.model === undefined || model === undefined ? {} : { model }),
    ...(after.limits === undefined ? {} : { limits: pick(own, named(after)) }),
    ...(after.providerTools === undefined ? {} : { providerTools }),
  }
}

const twice = (after: Permissions): Failure | undefined => {
  const seen = new Set<string>()
  const again = after.members?.find((member) => {
    const key = JSON.stringify([member.channel, member.user])
    return seen.has(key) || !seen.add(key)
  })
  return again === undefined
    ? undefined
    : { rule: 'member-twice', reason: `expected each member once, got ${again.channel} ${quote(again.user)} twice: leave one out` }
}

const noLimit = (after: Permissions): Failure | undefined =>
  after.limits === undefined || named(after).length > 0
    ? undefined
    : { rule: 'limits-empty', reason: `expected a limit to set, got none: name one of ${limitNames.join(', ')}, or leave limits out` }

const why = (after: Permissions, { limits: own, providerTools }: AgentGroup): string[] => {
  const raised = named(after).filter((name) => (after.limits?.[name] ?? 0) > (own[name] ?? standard[name] ?? Infinity))
  const added = (after.providerTools ?? []).filter((tool) => !providerTools.includes(tool))
  return [
    ...(raised.length > 0 ? [`Limits go up: ${nameList(raised)}.`] : []),
    ...(added.length > 0 ? [`It gets tools that run at the provider of the model, outside of this unit: ${nameList(added)}.`] : []),
  ]
}

const ownWirings = ({ wirings, agentGroupID }: ChangeContext) => wirings.filter((wired) => wired.agentGroupID === agentGroupID)

/** Where a group is wired its members are all that keeps people out. */
const membersSentence = (members: NonNullable<Permissions['members']>, context: ChangeContext): string => {
  if (members.length > 0) return `lets ${amount(members.length, 'member')} talk to it`
  const places = ownWirings(context).map(({ channel, address }) => `${channel} ${address}`)
  return places.length === 0 ? 'lets everybody talk to it' : `lets everybody talk to it who can write at ${nameList(places)}`
}

const sentences = (after: Permissions, context: ChangeContext): string[] => [
  ...(after.members === undefined ? [] : [membersSentence(after.members, context)]),
  ...(after.model === undefined ? [] : [`uses the model ${quote(after.model.id)} of ${quote(after.model.provider)}`]),
  ...named(after).map((name) => `${name} ${after.limits?.[name]}`),
  ...(after.providerTools === undefined ? [] : [`tools at the provider: ${nameList(after.providerTools)}`]),
]

/** A lower limit, another model, a tool at the provider less. */
const narrowsSandboxes = (before: Json, after: Permissions): boolean => {
  const own = v.parse(v.optional(GroupLimits, {}), before['limits'])
  const isLower = (name: Limit): boolean => (after.limits?.[name] ?? Infinity) < (own[name] ?? standard[name] ?? Infinity)
  const hasOther = after.model !== undefined && before['model'] !== undefined && isRemoved([before['model']], [after.model])
  return (
    hasOther || named(after).some(isLower) || (after.providerTools !== undefined && isRemoved(before['providerTools'], after.providerTools))
  )
}

/** Members shut out whoever is not one of them; without any, nobody is. */
const isFewer = (members: Permissions['members'], before: AgentGroup['members']): boolean =>
  members === undefined || (members.length > 0 ? before.length === 0 || !isRemoved(members, before) : before.length === 0)

const appliesUnderFreeze = (after: Permissions, { context }: VerifyInput): boolean => {
  const { limits: own, members, model, providerTools } = presentGroup(context)
  const isRaised = (name: Limit): boolean => (after.limits?.[name] ?? 0) > (own[name] ?? standard[name] ?? Infinity)
  return (
    !named(after).some(isRaised) &&
    isFewer(after.members, members) &&
    !isRemoved(after.providerTools ?? [], providerTools) &&
    (after.model === undefined || (model !== undefined && !isRemoved([after.model], [model])))
  )
}

/** A value that was not there before cannot be asked for again, unless what holds without it has a number. */
const invert = (after: Permissions, before: Json): Inverse | undefined => {
  if (after.model !== undefined && before['model'] === undefined) return undefined
  if (after.limits === undefined) return { kind: 'permissions', after: before }
  const had: Partial<Record<string, unknown>> =
    typeof before['limits'] === 'object' && before['limits'] !== null ? { ...before['limits'] } : {}
  const values = named(after).map((name) => [name, had[name] ?? standard[name]] as const)
  if (values.some(([, value]) => value === undefined)) return undefined
  return { kind: 'permissions', after: { ...before, limits: Object.fromEntries(values) } }
}

export const permissions = defineKind('permissions', {
  target: 'existing',
  needsRelaunch: true,
  serializedBy: null,
  narrowsSandboxes,
  appliesUnderFreeze,
  slice,
  outcome: (after, { context }) => ({ ...slice(after, context), ...after }),
  verify: (after, { context }) => unusableChoice(presentGroup(context).agent, after, context) ?? twice(after) ?? noLimit(after),
  // Only what opens addresses names them.
  requiredEvidence: ({ members }, context) =>
    members?.length === 0 ? { from: 'change', evidence: audienceEvidence(ownWirings(context), { members }) } : undefined,
  risk: (after, { context }) => (why(after, presentGroup(context)).length > 0 ? 'high' : 'medium'),
  why: (after, { context }) => why(after, presentGroup(context)),
  describe: (after, context) => `Sets what ${context.agentGroupID} may: ${sentences(after, context).join('; ')}`,
  apply: (after, { context }) => {
    const group = presentGroup(context)
    const { model = group.model, members = group.members, providerTools = group.providerTools } = after
    const choice = model === undefined ? {} : { model }
    return { type: 'group', group: { ...group, ...choice, members, providerTools, limits: { ...group.limits, ...after.limits } } }
  },
  invert: (after, before) => (before === null ? undefined : invert(after, before)),
})
