// A grant as people ask for it: added to what the group has, for tools that the server is known to declare.
import { addToGrant, type Client, findPresentGrant } from '@gatehouse/client'
import { type After, type Change, Evidence, type GrantView, kinds, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { readAllPages } from '../connection/pages.ts'
import { findNearest } from '../output/values.ts'

export type Access = After<'mcp_access'>

interface Place {
  readonly group: string
  readonly server: string
}

/** The grant that the change replaces. */
export const findGrant = async (client: Client, { group, server }: Place): Promise<GrantView | undefined> =>
  findPresentGrant(await readAllPages((cursor) => client.grants.list({ agentGroupID: group, cursor })), server)

/** Throws where the group has every tool already: naming some of them would add nothing. */
export const addTo = (present: GrantView | undefined, input: Access): Access => {
  const sum = addToGrant(present, input)
  if (present === undefined || sum.tools.length > 0 || input.tools.length === 0) return sum
  throw new ServiceError('invalid', {
    detail: `${present.agentGroupID} may use every tool of ${present.server} already`,
    hint: '--replace grants only the tools that you name',
  })
}

/** Undefined where nobody knows. */
const readDeclared = async (client: Client, { group, server }: Place): Promise<string[] | undefined> => {
  const preview = await client.changes.preview({ kind: 'mcp_access', agentGroupID: group, after: { server, tools: [] } })
  const { success, output: evidence } = v.safeParse(Evidence, preview.evidence)
  if (!success) return undefined
  if (evidence.status === 'observed') return evidence.tools.map(({ name }) => name)
  return evidence.status === 'too-large' ? evidence.names : undefined
}

/** Throws for a tool that the server is known not to declare. */
export const assertDeclared = async (client: Client, place: Place, tools: readonly string[]): Promise<void> => {
  const declared = tools.length === 0 ? undefined : await readDeclared(client, place)
  const missing = declared === undefined ? [] : tools.filter((tool) => !declared.includes(tool))
  const [first] = missing
  if (declared === undefined || first === undefined) return
  const near = await findNearest(first, declared)
  const meant = near === undefined ? `svcctl mcp probe ${place.server} lists its tools` : `did you mean ${near}?`
  throw new ServiceError('invalid', {
    detail: `${place.server} does not declare ${missing.join(', ')}`,
    hint: `${meant} --allow-undeclared submits the change all the same`,
  })
}

/** Undefined where the unit itself is to refuse it. */
export const readAccess = (kind: string, after: unknown): Access | undefined => {
  const result = v.safeParse(kinds.mcp_access.schema, after)
  return kind === 'mcp_access' && result.success ? result.output : undefined
}

const toolsBefore = ({ before }: Pick<Change, 'before'>): readonly string[] | undefined => {
  const result = v.safeParse(v.looseObject({ tools: v.array(v.string()) }), before)
  return result.success ? result.output.tools : undefined
}

const listOf = (tools: readonly string[]): string => (tools.length === 0 ? 'every tool' : tools.join(', '))

type Shown = Pick<Change, 'before' | 'after' | 'agentGroupID'>

export const describeResult = ({ after, agentGroupID }: Shown): string => {
  const { server, tools } = v.parse(kinds.mcp_access.schema, after)
  return `With it ${agentGroupID} may use of ${server}: ${listOf(tools)}.`
}

/** Undefined where the group keeps all that it has. */
export const describeLoss = ({ before, after, agentGroupID }: Shown): string | undefined => {
  const { server, tools } = v.parse(kinds.mcp_access.schema, after)
  const had = toolsBefore({ before })
  if (had === undefined || tools.length === 0) return undefined
  const lost = had.filter((tool) => !tools.includes(tool))
  if (had.length === 0) return `It replaces a grant of every tool of ${server}: ${agentGroupID} keeps only ${listOf(tools)}.`
  return lost.length === 0 ? undefined : `It replaces the present grant: ${agentGroupID} loses ${lost.join(', ')} of ${server}.`
}
