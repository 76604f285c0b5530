// The first agent group: its model provider, the change that creates it, and its approval.
import type { PendingQuery } from '@gatehouse/client'
import { type Change, isServiceError, type Kind } from '@gatehouse/contracts'
import { readAllPages } from '../connection/pages.ts'
import { executeStep } from '../declaration/execute.ts'
import { readReach } from '../decision/choose.ts'
import { renderChange } from '../output/change.ts'
import { done, left, type Outcome, type Step, type Tour } from './step.ts'

/** Asks for a change and has it decided here, if whoever sits here may: shown first, and approved as it was shown. */
interface OnboardChange {
  readonly kind: Kind
  readonly group: string
  readonly after: Record<string, unknown>
  /** What will be so. */
  readonly outcome: string
}

const waits = ({ outcome }: OnboardChange, id: string): Outcome => ({
  state: 'waits',
  detail: `${outcome}, once it is approved`,
  type: `svcctl change approve ${id} --by NAME`,
})

/** Asked for in an earlier run. What others asked for is theirs to be looked at: with `--yes` nobody would. */
const findOwn = async ({ client, self, status }: Tour, wanted: PendingQuery): Promise<Change[]> => {
  const { principal } = await status()
  const held = await readAllPages((cursor) => client.changes.pending({ ...wanted, cursor }))
  return held.filter((change) => change.principal === principal.name && change.requestedBy === `cli:${self}`)
}

/** What was asked for in an earlier run is not asked for again. */
const submit = async (tour: Tour, { kind, group, after }: OnboardChange): Promise<string | undefined> => {
  const { client, self } = tour
  const held = await findOwn(tour, { agentGroupID: group })
  const { changeID } = await executeStep(
    { kind, group, before: null, after },
    { client, held, requestedBy: `cli:${self}`, reason: 'first run', approver: undefined },
  )
  return changeID
}

const submitAndApply = async (tour: Tour, wish: OnboardChange): Promise<Outcome> => {
  if (tour.dryRun) return { state: 'would', detail: `would ask for this and have you approve it: ${wish.outcome}` }
  const id = await submit(tour, wish)
  if (id === undefined) return { state: 'left', detail: wish.outcome }
  const change = await tour.client.changes.show(id)
  if (change.state === 'applied') return { state: 'now', detail: wish.outcome }
  tour.show(renderChange(change, { stream: process.stderr, reach: await readReach(tour.client, id) }))
  if (!(await tour.confirm(`Approve ${id}?`))) return waits(wish, id)
  try {
    const { state } = await tour.client.changes.decide(id, { outcome: 'approve', decidedBy: tour.self, digest: change.digest })
    return state === 'applied' ? { state: 'now', detail: wish.outcome } : waits(wish, id)
  } catch (error) {
    // Another pair of eyes is asked for: that is no failure.
    if (isServiceError(error) && (error.code === 'self-approval' || error.code === 'forbidden')) return waits(wish, id)
    throw error
  }
}

/** Names of those that the unit can ask. */
const readProviders = async ({ client }: Tour): Promise<string[]> => {
  try {
    return (await client.models.list()).items.map(({ name }) => name)
  } catch (error) {
    if (isServiceError(error) && (error.code === 'unavailable' || error.code === 'not-found')) return []
    throw error
  }
}

export const provider: Step = {
  name: 'provider',
  take: async (tour) => {
    const names = await readProviders(tour)
    if (names.length > 0) return done(`the unit holds a key for ${names.join(', ')}`)
    return left(
      'the unit holds no key for a provider of models; the mock agent needs none',
      'ANTHROPIC_API_KEY_FILE=FILE, or that of another provider, in the environment of the unit, then start it again',
    )
  },
}

const modelOf = async (tour: Tour): Promise<object> => {
  const [provider] = await readProviders(tour)
  if (provider === undefined) return { agent: 'mock' }
  const id = await tour.ask(`Its model of ${provider}; nothing for an agent that repeats what it is told`, '')
  return id === '' ? { agent: 'mock' } : { agent: 'model', model: { provider, id } }
}

/** Asked for in an earlier run, and not approved yet. */
const heldOf = async (tour: Tour): Promise<OnboardChange | undefined> => {
  const [held] = await findOwn(tour, { kind: 'agent_create' })
  return held && { kind: held.kind, group: held.agentGroupID, after: held.after, outcome: `the agent group ${held.agentGroupID} is there` }
}

export const agent: Step = {
  name: 'agent',
  take: async (tour) => {
    const { items } = await tour.client.groups.list()
    const group = items.find(({ id }) => tour.group === undefined || id === tour.group)
    if (group !== undefined) {
      tour.group = group.id
      return done(`the agent group ${group.id} is there`)
    }
    const held = tour.group === undefined ? await heldOf(tour) : undefined
    const id = held?.group ?? (tour.group || (await tour.ask('Name of your first agent', 'my-agent')))
    const wish = held ?? {
      kind: 'agent_create',
      group: id,
      after: { id, name: id, ...(await modelOf(tour)) },
      outcome: `the agent group ${id} is there`,
    }
    const outcome = await submitAndApply(tour, wish)
    if (outcome.state === 'now' || outcome.state === 'would') tour.group = wish.group
    return outcome
  },
}

/** The first approval: one tool of one server for the agent, which is the smallest thing that a human lets through. */
const toolOf = async ({ client, ask }: Tour, server: string): Promise<string | undefined> => {
  const { tools } = await client.servers.probe(server)
  const names = tools.map(({ name }) => name)
  const [first] = names
  if (first === undefined) return undefined
  const chosen = await ask(`Tool of ${server} for your agent, of ${names.slice(0, 12).join(', ')}`, first)
  return names.includes(chosen) ? chosen : first
}

const wish = async (tour: Tour, group: string): ReturnType<Step['take']> => {
  const { items } = await tour.client.servers.list()
  const server = items[0]?.name
  if (server === undefined) return left('there is no tool server to grant', 'svcctl mcp add NAME --command PROGRAM')
  if (tour.dryRun) return { state: 'would', detail: `would ask for one tool of ${server} for ${group}, and have you approve it` }
  try {
    const tool = await toolOf(tour, server)
    if (tool === undefined) return left(`${server} has no tools`, `svcctl mcp probe ${server}`)
    const after = { server, tools: [tool] }
    return await submitAndApply(tour, { kind: 'mcp_access', group, after, outcome: `${group} may call ${server}__${tool}` })
  } catch (error) {
    if (isServiceError(error) && (error.code === 'upstream-failed' || error.code === 'forbidden'))
      return left(`${server} could not be asked for its tools: ${error.detail}`, `svcctl mcp probe ${server}`)
    throw error
  }
}

export const approval: Step = {
  name: 'approval',
  take: async (tour) => {
    const { group } = tour
    if (group === undefined) return left('there is no agent yet to approve something for', 'svcctl onboard')
    if (!(await tour.status()).mcp.enabled) return left('there is no tool to approve: this unit has no tool servers')
    const known = (await tour.client.groups.list()).items.some(({ id }) => id === group)
    const grants = known ? (await tour.client.grants.list({ agentGroupID: group })).items : []
    const [grant] = grants
    if (grant !== undefined) return done(`${group} has a grant of ${grant.server}`)
    return await wish(tour, group)
  },
}
