// Kind `mcp_revoke`: revokes a grant or some of its tools. A grant without tools left is revoked, because an empty list means
// every tool.
import type { After, Failure, Grant } from '@gatehouse/contracts'
import { activeGrant, type ChangeContext } from '../state/unit-config.ts'
import { toolList } from '../text.ts'
import { asAccessTerms, grantTerms } from './terms.ts'
import { defineKind } from './kind.ts'

type Revoke = After<'mcp_revoke'>

const remaining = (after: Revoke, grant: Grant): string[] =>
  after.tools === undefined ? [] : grant.tools.filter((tool) => !after.tools?.includes(tool))

const verify = (after: Revoke, context: ChangeContext): Failure | undefined => {
  const grant = activeGrant(context, after.server)
  if (grant === undefined) {
    return {
      rule: 'no-grant',
      reason: `${context.agentGroupID} has no grant for the tool server ${after.server}: there is nothing to revoke`,
    }
  }
  if (after.tools === undefined) return undefined
  if (grant.tools.length === 0) {
    return {
      rule: 'grant-covers-all',
      reason: `the grant covers every tool of ${after.server}, so it cannot be narrowed to some tools: revoke all of it, or replace it with mcp_access`,
    }
  }
  return after.tools.some((tool) => grant.tools.includes(tool))
    ? undefined
    : { rule: 'not-in-grant', reason: `the grant for ${after.server} covers only ${toolList(grant.tools)}, none of which is to be revoked` }
}

/** The grant with the remaining tools; undefined if none remains. */
const narrowGrant = (after: Revoke, grant: Grant): Grant | undefined => {
  const tools = remaining(after, grant)
  if (tools.length === 0) return undefined
  return { ...grant, tools, pins: Object.fromEntries(Object.entries(grant.pins).filter(([tool]) => tools.includes(tool))) }
}

export const mcpRevoke = defineKind('mcp_revoke', {
  target: 'existing',
  needsRelaunch: true,
  serializedBy: null,
  narrowsSandboxes: 'always',
  appliesUnderFreeze: 'always',
  server: 'server',
  subject: ({ server }) => server,
  slice: (after, context) => {
    const grant = activeGrant(context, after.server)
    return grant === undefined ? null : grantTerms(grant)
  },
  outcome: (after, { context }) => {
    const grant = activeGrant(context, after.server)
    const rest = grant === undefined ? undefined : narrowGrant(after, grant)
    return rest === undefined ? null : grantTerms(rest)
  },
  verify: (after, { context }) => verify(after, context),
  risk: () => 'low',
  describe: (after, context) => `Revokes ${toolList(after.tools ?? [])} of the tool server ${after.server} from ${context.agentGroupID}`,
  apply: (after, { context }) => {
    const grant = activeGrant(context, after.server)
    if (grant === undefined) throw new TypeError('a revocation is applied only after its verifier found the grant')
    return { type: 'grant', grant: narrowGrant(after, grant) ?? { ...grant, state: 'revoked' } }
  },
  invert: (_after, before) => (before === null ? undefined : { kind: 'mcp_access', after: asAccessTerms(before) }),
})
