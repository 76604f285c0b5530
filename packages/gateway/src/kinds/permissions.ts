// Kind `permissions`: members, model, limits and provider tools of a group. Fields that are not set stay unchanged.
import { type After, type AgentGroup, type Failure, GroupLimits, limits } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type ChangeContext, presentGroup } from '../state/unit-config.ts'
import { amount, nameList, quote } from '../text.ts'
import { audienceEvidence, isRemoved } from './terms.ts'
import { defineKind, type Inverse, type Json, type VerifyInput } from './kind.ts'
import { unusableChoice } from './model-choice.ts'

type Permissions = After<'permissions'>
type Limit = keyof GroupLimits

/** Defaults for a group without its own limit; undefined for no limit. */
const defaults: Readonly<Record<Limit, number | undefined>> = {
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

const listLimits = (after: Permissions): Limit[] => limitNames.filter((name) => after.limits?.[name] !== undefined)

const pick = (from: GroupLimits, names: readonly Limit[]): GroupLimits =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]))

/** The current values of the fields that the change sets. */
const slice = (after: Permissions, context: ChangeContext): Json => {
  const { members, model, limits: own, providerTools } = presentGroup(context)
  return {
    ...(after.members === undefined ? {} : { members }),
    ...(after.model === undefined || model === undefined ? {} : { model }),
    ...(after.limits === undefined ? {} : { limits: pick(own, listLimits(after)) }),
    ...(after.providerTools === undefined ? {} : { providerTools }),
  }
}

const duplicateMember = (after: Permissions): Failure | undefined => {
  const seen = new Set<string>()
  const duplicate = after.members?.find((member) => {
    const key = JSON.stringify([member.channel, member.user])
    return seen.has(key) || !seen.add(key)
  })
  return duplicate === undefined
    ? undefined
    : { rule: 'member-twice', reason: `the member ${duplicate.channel} ${quote(duplicate.user)} is listed twice: remove one` }
}

const emptyLimits = (after: Permissions): Failure | undefined =>
  after.limits === undefined || listLimits(after).length > 0
    ? undefined
    : { rule: 'limits-empty', reason: `limits is empty: set at least one of ${limitNames.join(', ')}, or leave limits out` }

const why = (after: Permissions, { limits: own, providerTools }: AgentGroup): string[] => {
  const raised = listLimits(after).filter((name) => (after.limits?.[name] ?? 0) > (own[name] ?? defaults[name] ?? Infinity))
  const added = (after.providerTools ?? []).filter((tool) => !providerTools.includes(tool))
  return [
    ...(raised.length > 0 ? [`It raises limits: ${nameList(raised)}.`] : []),
    ...(added.length > 0 ? [`It enables tools that run at the model provider, outside this unit: ${nameList(added)}.`] : []),
  ]
}

const listWirings = ({ wirings, agentGroupID }: ChangeContext) => wirings.filter((wired) => wired.agentGroupID === agentGroupID)

/** Without members, anyone who can write to one of its addresses can message the group. */
const describeMembers = (members: NonNullable<Permissions['members']>, context: ChangeContext): string => {
  if (members.length > 0) return `allows only ${amount(members.length, 'member')} to message it`
  const places = listWirings(context).map(({ channel, address }) => `${channel} ${address}`)
  return places.length === 0 ? 'allows anyone to message it' : `allows anyone who can write to ${nameList(places)} to message it`
}

const describeFields = (after: Permissions, context: ChangeContext): string[] => [
  ...(after.members === undefined ? [] : [describeMembers(after.members, context)]),
  ...(after.model === undefined ? [] : [`uses the model ${quote(after.model.id)} from ${quote(after.model.provider)}`]),
  ...listLimits(after).map((name) => `sets ${name} to ${after.limits?.[name]}`),
  ...(after.providerTools === undefined ? [] : [`sets the provider tools to ${nameList(after.providerTools)}`]),
]

/** True for a lower limit, another model, or fewer provider tools. */
const narrowsSandboxes = (before: Json, after: Permissions): boolean => {
  const own = v.parse(v.optional(GroupLimits, {}), before['limits'])
  const isLower = (name: Limit): boolean => (after.limits?.[name] ?? Infinity) < (own[name] ?? defaults[name] ?? Infinity)
  const hasOtherModel = after.model !== undefined && before['model'] !== undefined && isRemoved([before['model']], [after.model])
  return (
    hasOtherModel ||
    listLimits(after).some(isLower) ||
    (after.providerTools !== undefined && isRemoved(before['providerTools'], after.providerTools))
  )
}

/** Whether no one gains the right to message the group. An empty list of members allows anyone. */
const isNarrower = (members: Permissions['members'], before: AgentGroup['members']): boolean =>
  members === undefined || (members.length > 0 ? before.length === 0 || !isRemoved(members, before) : before.length === 0)

const appliesUnderFreeze = (after: Permissions, { context }: VerifyInput): boolean => {
  const { limits: own, members, model, providerTools } = presentGroup(context)
  const isRaised = (name: Limit): boolean => (after.limits?.[name] ?? 0) > (own[name] ?? defaults[name] ?? Infinity)
  return (
    !listLimits(after).some(isRaised) &&
    isNarrower(after.members, members) &&
    !isRemoved(after.providerTools ?? [], providerTools) &&
    (after.model === undefined || (model !== undefined && !isRemoved([after.model], [model])))
  )
}

/** An unset value cannot be requested, so it is reverted to the default limit if there is one. */
const invert = (after: Permissions, before: Json): Inverse | undefined => {
  if (after.model !== undefined && before['model'] === undefined) return undefined
  if (after.limits === undefined) return { kind: 'permissions', after: before }
  const previous: Partial<Record<string, unknown>> =
    typeof before['limits'] === 'object' && before['limits'] !== null ? { ...before['limits'] } : {}
  const values = listLimits(after).map((name) => [name, previous[name] ?? defaults[name]] as const)
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
  verify: (after, { context }) =>
    unusableChoice(presentGroup(context).agent, after, context) ?? duplicateMember(after) ?? emptyLimits(after),
  // Only a change that opens addresses to anyone needs to show them.
  requiredEvidence: ({ members }, context) =>
    members?.length === 0 ? { from: 'change', evidence: audienceEvidence(listWirings(context), { members }) } : undefined,
  risk: (after, { context }) => (why(after, presentGroup(context)).length > 0 ? 'high' : 'medium'),
  why: (after, { context }) => why(after, presentGroup(context)),
  describe: (after, context) => `Changes the permissions of ${context.agentGroupID}: ${describeFields(after, context).join('; ')}`,
  apply: (after, { context }) => {
    const group = presentGroup(context)
    const { model = group.model, members = group.members, providerTools = group.providerTools } = after
    const choice = model === undefined ? {} : { model }
    return { type: 'group', group: { ...group, ...choice, members, providerTools, limits: { ...group.limits, ...after.limits } } }
  },
  invert: (after, before) => (before === null ? undefined : invert(after, before)),
})
