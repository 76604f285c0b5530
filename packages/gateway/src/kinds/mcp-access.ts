// A grant of one server's tools to a group: it replaces the one that the group has.
import type { After, Digest, Failure, Grant, Evidence } from '@gatehouse/contracts'
import { pinsOf } from '../evidence/observation.ts'
import { activeGrant, type ChangeContext, presentGroup } from '../state/unit-config.ts'
import { nameList, toolList } from '../text.ts'
import { asAccessTerms, grantTerms } from './terms.ts'
import { defineKind, type VerifyInput } from './kind.ts'

type Access = After<'mcp_access'>

const distinct = (after: Access): Access => ({ ...after, tools: [...new Set(after.tools)] })

const verify = (after: Access, { context }: VerifyInput): Failure | undefined => {
  if (context.servers === null) {
    return { rule: 'mcp-disabled', reason: 'this unit has no tool servers: start it with --mcp-catalog' }
  }
  if (!context.servers.has(after.server)) {
    return { rule: 'server-not-configured', reason: `expected a configured tool server, got ${after.server}: configure it first` }
  }
  if (after.expiresAt !== undefined && Date.parse(after.expiresAt) <= context.now) {
    const now = new Date(context.now).toISOString()
    return { rule: 'expires-in-past', reason: `expected a time after ${now}, got ${after.expiresAt}: choose a later one, or leave it out` }
  }
  return undefined
}

const unseen = (evidence: Evidence | null): string =>
  evidence?.status === 'too-large'
    ? 'The definitions of its tools are too many to be shown with the change.'
    : 'Nobody saw what the server declares: the tools are pinned as they are first listed after the approval.'

const why = (after: Access, evidence: Evidence | null): string[] => {
  const every = after.tools.length === 0 ? ['It grants every tool of the server, also those that the server adds later.'] : []
  if (evidence?.status !== 'observed') return [...every, unseen(evidence)]
  const { missing, drift } = evidence
  const destructive = evidence.tools.filter((tool) => tool.annotations?.['destructiveHint'] === true).map(({ name }) => name)
  return [
    ...every,
    ...(missing.length > 0 ? [`The server does not declare what is asked for: ${nameList(missing)}.`] : []),
    ...(drift.length > 0 ? [`Definitions are others than those approved before: ${nameList(drift.map(({ tool }) => tool))}.`] : []),
    ...(destructive.length > 0 ? [`The server itself calls these destructive: ${nameList(destructive)}.`] : []),
  ]
}

/** The pins that the evidence gives: what its tools were when they were approved. */
const pinned = (evidence: Evidence | null, present: Digest | undefined): Pick<Grant, 'entryDigest' | 'pins' | 'pinned'> => {
  if (evidence?.status === 'observed') return { entryDigest: evidence.entryDigest, pins: pinsOf(evidence.tools), pinned: 'approval' }
  if (evidence?.status === 'too-large') return { entryDigest: evidence.entryDigest, pins: evidence.pins, pinned: 'approval' }
  const seen = evidence?.status === 'unavailable' ? evidence.entryDigest : undefined
  return { entryDigest: seen ?? present ?? null, pins: {}, pinned: 'none' }
}

const terms = (after: Access): string => {
  const until = after.expiresAt === undefined ? '' : ` until ${after.expiresAt}`
  const most = after.maxCalls === undefined ? '' : ` for at most ${after.maxCalls} calls`
  return `${toolList(after.tools)} of the tool server ${after.server}${until}${most}`
}

const describe = (after: Access, context: ChangeContext): string => {
  const grant = activeGrant(context, after.server)
  const instead = grant === undefined ? '' : `, instead of ${toolList(grant.tools)}`
  return `Grants ${context.agentGroupID} ${terms(after)}${instead}`
}

export const mcpAccess = defineKind('mcp_access', {
  target: 'existing',
  needsRelaunch: true,
  serializedBy: null,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: 'never',
  server: 'server',
  subject: ({ server }) => server,
  requestKey: (after) => ({ server: after.server, tools: distinct(after).tools.toSorted() }),
  slice: (after, context) => {
    const grant = activeGrant(context, after.server)
    return grant === undefined ? null : grantTerms(grant)
  },
  outcome: distinct,
  verify,
  requiredEvidence: (after, context) =>
    context.servers?.has(after.server) === true ? { from: 'broker', server: after.server, tools: distinct(after).tools } : undefined,
  risk: (after, { evidence }) => (why(after, evidence).length > 0 ? 'high' : 'medium'),
  why: (after, { evidence }) => why(after, evidence),
  describe,
  apply: (after, { context, evidence }, stamp) => ({
    type: 'grant',
    grant: {
      ...distinct(after),
      agentGroupID: presentGroup(context).id,
      ...pinned(evidence, context.servers?.get(after.server)),
      changeID: stamp.changeID,
      grantedAt: stamp.at,
      state: 'active',
    },
  }),
  invert: (after, before) =>
    before === null ? { kind: 'mcp_revoke', after: { server: after.server } } : { kind: 'mcp_access', after: asAccessTerms(before) },
})
