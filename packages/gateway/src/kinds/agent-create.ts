// A new agent group, with the built-in tools that every group begins with and nothing else.
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
      reason:
        'expected an agent in a sandbox, got one outside of the unit, which this unit does not serve: the operator starts it with --mcp-endpoint',
    }
  if (persona === undefined) return undefined
  return { rule: 'external-agent', reason: 'expected an external agent without instructions: the unit cannot give it any' }
}

const describe = (after: After<'agent_create'>): string =>
  after.agent === 'external'
    ? `Creates the agent group ${after.id} (${quote(after.name)}) for a program outside of this unit, which is not sandboxed, with no tools of servers`
    : `Creates the agent group ${after.id} (${quote(after.name)}) with the ${after.agent} agent and no tools of servers`

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
      : { rule: 'group-exists', reason: `expected a new id, but the agent group ${after.id} exists: change it, or choose another id` },
  risk: ({ agent }) => (agent === 'external' ? 'high' : 'low'),
  why: ({ agent }) =>
    agent === 'external'
      ? [
          'Its agent is not sandboxed: it runs where the holder of its token runs it, with the network, the files and the credentials of that place.',
          'What a tool answers leaves this unit.',
        ]
      : [],
  describe,
  apply: (after, _input, stamp) => ({ type: 'group', group: newGroup(after, { createdAt: stamp.at, origin: stamp.changeID }) }),
  invert: () => ({ kind: 'agent_remove', after: {} }),
})
