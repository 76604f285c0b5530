// Kind `agent_create`: a new agent group with the default built-in tools and no other access.
import { type After, AgentGroup, type Failure } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { ChangeContext } from '../state/unit-config.ts'
import { quote } from '../text.ts'
import { defineKind } from './kind.ts'
import { modelMissing, unusableChoice } from './model-choice.ts'

const newGroup = (after: After<'agent_create'>, origin: Pick<AgentGroup, 'createdAt' | 'origin'>): AgentGroup =>
  v.parse(AgentGroup, {
    id: after.id,
    name: after.name,
    agent: after.agent,
    persona: after.persona ?? '',
    ...(after.model === undefined ? {} : { model: after.model }),
    ...origin,
  })

const externalFailure = ({ agent, persona }: After<'agent_create'>, { config }: ChangeContext): Failure | undefined => {
  if (agent !== 'external') return undefined
  if (!config.mcpEndpoint)
    return {
      rule: 'external-disabled',
      reason: 'this unit does not accept external agents: the operator enables them with --mcp-endpoint',
    }
  if (persona === undefined) return undefined
  return { rule: 'external-agent', reason: 'an external agent cannot have instructions: leave out persona' }
}

const describe = (after: After<'agent_create'>): string =>
  after.agent === 'external'
    ? `Creates the agent group ${after.id} (${quote(after.name)}) for an external program that is not sandboxed, with no tool grants`
    : `Creates the agent group ${after.id} (${quote(after.name)}) with the ${after.agent} agent and no tool grants`

export const agentCreate = defineKind('agent_create', {
  target: 'new',
  needsRelaunch: false,
  serializedBy: null,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: 'never',
  slice: () => null,
  verify: (after, { context }) =>
    context.group === undefined
      ? (externalFailure(after, context) ?? modelMissing(after.agent, after, context) ?? unusableChoice(after.agent, after, context))
      : { rule: 'group-exists', reason: `the agent group ${after.id} already exists: change it, or choose another id` },
  risk: ({ agent }) => (agent === 'external' ? 'high' : 'low'),
  why: ({ agent }) =>
    agent === 'external'
      ? [
          'The agent is not sandboxed: it runs wherever its token is used, with the network, files and credentials of that machine.',
          'Tool results leave this unit.',
        ]
      : [],
  describe,
  apply: (after, _input, stamp) => ({ type: 'group', group: newGroup(after, { createdAt: stamp.at, origin: stamp.changeID }) }),
  invert: () => ({ kind: 'agent_remove', after: {} }),
})
