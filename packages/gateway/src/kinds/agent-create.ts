// A new agent group, with the built-in tools that every group begins with and nothing else.
import { type After, AgentGroup } from '@gatehouse/contracts'
import * as v from 'valibot'
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

export const agentCreate = defineKind('agent_create', {
  target: 'new',
  needsRelaunch: false,
  serializedBy: null,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: 'never',
  slice: () => null,
  verify: (after, { context }) =>
    context.group === undefined
      ? (modelMissing(after.agent, after, context) ?? unusableChoice(after.agent, after, context))
      : { rule: 'group-exists', reason: `expected a new id, but the agent group ${after.id} exists: change it, or choose another id` },
  risk: () => 'low',
  describe: (after) => `Creates the agent group ${after.id} (${quote(after.name)}) with the ${after.agent} agent and no tools of servers`,
  apply: (after, _input, stamp) => ({ type: 'group', group: newGroup(after, { createdAt: stamp.at, origin: stamp.changeID }) }),
  invert: () => ({ kind: 'agent_remove', after: {} }),
})
