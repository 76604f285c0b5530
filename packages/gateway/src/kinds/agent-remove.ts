// The end of an agent group: its grants, wirings and sessions go with it, its files stay for a while.
import { type AgentGroup, kinds } from '@gatehouse/contracts'
import { type ChangeContext, presentGroup } from '../state/unit-config.ts'
import { amount, quote } from '../text.ts'
import { grantTerms, wiringTerms } from './terms.ts'
import { defineKind, type Json } from './kind.ts'

const standing = (world: ChangeContext) => world.grants.filter(({ state }) => state !== 'revoked')
const wired = ({ agentGroupID, wirings }: ChangeContext) => wirings.filter((wiring) => wiring.agentGroupID === agentGroupID)

/** Everything that somebody once approved for it. */
const whole = (world: ChangeContext): Json => {
  const { createdAt: _createdAt, origin: _origin, ...group }: AgentGroup = presentGroup(world)
  return { ...group, grants: standing(world).map(grantTerms), wirings: wired(world).map(wiringTerms) }
}

const members = ['id', 'name', 'agent', 'persona', 'model'] as const

export const agentRemove = defineKind({
  name: 'agent_remove',
  schema: kinds.agent_remove,
  narrowing: false,
  target: 'existing',
  slice: (_after, world) => whole(world),
  outcome: () => null,
  verify: () => undefined,
  risk: () => 'medium',
  describe: (_after, world) => {
    const { id, name } = presentGroup(world)
    const loses = `${amount(standing(world).length, 'grant')} and ${amount(wired(world).length, 'wiring')}`
    return `Removes the agent group ${id} (${quote(name)}) with ${loses}: its sessions end, its files are kept for 7 days`
  },
  apply: (_after, { world }, stamp) => ({ type: 'group-removed', agentGroupID: world.agentGroupID, at: stamp.at }),
  invert: (_after, before) =>
    before === null
      ? undefined
      : { kind: 'agent_create', after: Object.fromEntries(members.filter((name) => name in before).map((name) => [name, before[name]])) },
})
