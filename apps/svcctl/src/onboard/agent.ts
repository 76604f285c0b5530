// The first agent group. It thinks where the unit has a key and a model was named, else it repeats what it is told.
import { carry, ownOf, type Wish } from './carry.ts'
import { providersOf } from './provider.ts'
import { done, type Step, type Tour } from './step.ts'

const modelOf = async (tour: Tour): Promise<object> => {
  const [provider] = await providersOf(tour)
  if (provider === undefined) return { agent: 'mock' }
  const id = await tour.ask(`Its model of ${provider}; nothing for an agent that repeats what it is told`, '')
  return id === '' ? { agent: 'mock' } : { agent: 'model', model: { provider, id } }
}

/** Asked for in an earlier run, and not approved yet. */
const heldOf = async (tour: Tour): Promise<Wish | undefined> => {
  const [held] = await ownOf(tour, { kind: 'agent_create' })
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
    const outcome = await carry(tour, wish)
    if (outcome.state === 'now' || outcome.state === 'would') tour.group = wish.group
    return outcome
  },
}
