// Kind `agent_remove`: removes an agent group with its grants, wirings and sessions. Its files are kept for 7 days.
import type { AgentGroup } from '@gatehouse/contracts'
import { type ChangeContext, presentGroup } from '../state/unit-config.ts'
import { amount, quote } from '../text.ts'
import { grantTerms, wiringTerms } from './terms.ts'
import { defineKind, type Json } from './kind.ts'

const listGrants = (context: ChangeContext) => context.grants.filter(({ state }) => state !== 'revoked')
const listWirings = ({ agentGroupID, wirings }: ChangeContext) => wirings.filter((wiring) => wiring.agentGroupID === agentGroupID)

/** Everything that was approved for the group. */
const describeGroup = (context: ChangeContext): Json => {
  const { createdAt: _createdAt, origin: _origin, ...group }: AgentGroup = presentGroup(context)
  return { ...group, grants: listGrants(context).map(grantTerms), wirings: listWirings(context).map(wiringTerms) }
}

const members = ['id', 'name', 'agent', 'persona', 'model'] as const

export const agentRemove = defineKind('agent_remove', {
  target: 'existing',
  needsRelaunch: false,
  serializedBy: null,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: 'never',
  slice: (_after, context) => describeGroup(context),
  outcome: () => null,
  verify: () => undefined,
  risk: () => 'medium',
  describe: (_after, context) => {
    const { id, name } = presentGroup(context)
    const access = `${amount(listGrants(context).length, 'grant')} and ${amount(listWirings(context).length, 'wiring')}`
    return `Removes the agent group ${id} (${quote(name)}) with ${access}; ends its sessions and keeps its files for 7 days`
  },
  apply: (_after, { context }, stamp) => ({ type: 'group-removed', agentGroupID: context.agentGroupID, at: stamp.at }),
  invert: (_after, before) =>
    before === null
      ? undefined
      : { kind: 'agent_create', after: Object.fromEntries(members.filter((name) => name in before).map((name) => [name, before[name]])) },
})
