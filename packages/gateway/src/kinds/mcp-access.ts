// Kind `mcp_access`: grants tools of one server to a group, and replaces the grant that the group has for that server.
import type { After, Digest, Failure, Grant, Evidence } from '@gatehouse/contracts'
import { buildPins } from '../evidence/observation.ts'
import { activeGrant, type ChangeContext, presentGroup } from '../state/unit-config.ts'
import { nameList, toolList } from '../text.ts'
import { asAccessTerms, grantTerms } from './terms.ts'
import { defineKind, type VerifyInput } from './kind.ts'

type Access = After<'mcp_access'>

const withoutDuplicates = (after: Access): Access => ({ ...after, tools: [...new Set(after.tools)] })

const verify = (after: Access, { context }: VerifyInput): Failure | undefined => {
  if (context.servers === null) {
    return { rule: 'mcp-disabled', reason: 'this unit has no tool servers: start it with --mcp-catalog' }
  }
  if (!context.servers.has(after.server)) {
    return { rule: 'server-not-configured', reason: `the tool server ${after.server} is not configured: add it to the catalog first` }
  }
  if (after.expiresAt !== undefined && Date.parse(after.expiresAt) <= context.now) {
    const now = new Date(context.now).toISOString()
    return {
      rule: 'expires-in-past',
      reason: `expiresAt ${after.expiresAt} is not after the current time ${now}: choose a later time, or leave it out`,
    }
  }
  return undefined
}

const unknownDefinitions = (evidence: Evidence | null): string =>
  evidence?.status === 'too-large'
    ? 'The tool definitions are too large to be shown with the change.'
    : 'The tool definitions of the server are unknown: tools are pinned as they are first listed after approval.'

const why = (after: Access, evidence: Evidence | null): string[] => {
  const every = after.tools.length === 0 ? ['It grants every tool of the server, including tools that the server adds later.'] : []
  if (evidence?.status !== 'observed') return [...every, unknownDefinitions(evidence)]
  const { missing, drift } = evidence
  const destructive = evidence.tools.filter((tool) => tool.annotations?.['destructiveHint'] === true).map(({ name }) => name)
  return [
    ...every,
    ...(missing.length > 0 ? [`The server does not declare these tools: ${nameList(missing)}.`] : []),
    ...(drift.length > 0 ? [`These tool definitions changed since they were approved: ${nameList(drift.map(({ tool }) => tool))}.`] : []),
    ...(destructive.length > 0 ? [`The server marks these tools as destructive: ${nameList(destructive)}.`] : []),
  ]
}

/** The pins of the new grant: the definitions that the evidence showed to the approver. */
const pinEvidence = (evidence: Evidence | null, present: Digest | undefined): Pick<Grant, 'entryDigest' | 'pins' | 'pinned'> => {
  if (evidence?.status === 'observed') return { entryDigest: evidence.entryDigest, pins: buildPins(evidence.tools), pinned: 'approval' }
  if (evidence?.status === 'too-large') return { entryDigest: evidence.entryDigest, pins: evidence.pins, pinned: 'approval' }
  const known = evidence?.status === 'unavailable' ? evidence.entryDigest : undefined
  return { entryDigest: known ?? present ?? null, pins: {}, pinned: 'none' }
}

const describeTerms = (after: Access): string => {
  const until = after.expiresAt === undefined ? '' : ` until ${after.expiresAt}`
  const maximum = after.maxCalls === undefined ? '' : ` for at most ${after.maxCalls} calls`
  return `${toolList(after.tools)} of the tool server ${after.server}${until}${maximum}`
}

const describe = (after: Access, context: ChangeContext): string => {
  const grant = activeGrant(context, after.server)
  const replaced = grant === undefined ? '' : `, replacing ${toolList(grant.tools)}`
  return `Grants ${context.agentGroupID} ${describeTerms(after)}${replaced}`
}

export const mcpAccess = defineKind('mcp_access', {
  target: 'existing',
  needsRelaunch: true,
  serializedBy: null,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: 'never',
  server: 'server',
  subject: ({ server }) => server,
  requestKey: (after) => ({ server: after.server, tools: withoutDuplicates(after).tools.toSorted() }),
  slice: (after, context) => {
    const grant = activeGrant(context, after.server)
    return grant === undefined ? null : grantTerms(grant)
  },
  outcome: withoutDuplicates,
  verify,
  requiredEvidence: (after, context) =>
    context.servers?.has(after.server) === true
      ? { from: 'broker', server: after.server, tools: withoutDuplicates(after).tools }
      : undefined,
  risk: (after, { evidence }) => (why(after, evidence).length > 0 ? 'high' : 'medium'),
  why: (after, { evidence }) => why(after, evidence),
  describe,
  apply: (after, { context, evidence }, stamp) => ({
    type: 'grant',
    grant: {
      ...withoutDuplicates(after),
      agentGroupID: presentGroup(context).id,
      ...pinEvidence(evidence, context.servers?.get(after.server)),
      changeID: stamp.changeID,
      grantedAt: stamp.at,
      state: 'active',
    },
  }),
  invert: (after, before) =>
    before === null ? { kind: 'mcp_revoke', after: { server: after.server } } : { kind: 'mcp_access', after: asAccessTerms(before) },
})
