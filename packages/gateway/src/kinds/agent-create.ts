// A new agent group.
import { kinds } from '@gatehouse/contracts'
import { defineKind } from './kind.ts'
import { quote } from './words.ts'

export const agentCreate = defineKind({
  name: 'agent_create',
  schema: kinds.agent_create,
  narrowing: false,
  target: 'new',
  slice: () => null,
  verify: (after, world) =>
    world.group === undefined
      ? undefined
      : { rule: 'group-exists', reason: `expected a new id, but the agent group ${after.id} exists: change it, or choose another id` },
  risk: () => 'low',
  describe: (after) => `Creates the agent group ${after.id} (${quote(after.name)}) with the ${after.agent} agent and no tools`,
  apply: (after, _world, stamp) => ({
    type: 'group',
    group: {
      id: after.id,
      name: after.name,
      agent: after.agent,
      persona: after.persona ?? '',
      createdAt: stamp.at,
      origin: stamp.changeID,
    },
  }),
})
