// The end of an agent group: its grants, wirings and sessions go with it, its files stay for a while.
import type { AgentGroup } from '@gatehouse/contracts'
import { type ChangeContext, presentGroup } from '../state/unit-config.ts'
import { amount, quote } from '../text.ts'
import { grantTerms, wiringTerms } from './terms.ts'
import { defineKind, type Json } from './kind.ts'

const standing = (context: ChangeContext) => context.grants.filter(({ state }) => state !== 'revoked')
const wired = ({ agentGroupID, wirings }: ChangeContext) => wirings.filter((wiring) => wiring.agentGroupID === agentGroupID)

/** Everything that somebody once approved for it. */
const whole = (context: ChangeContext): Json => {
  const { createdAt: _createdAt, origin: _origin, ...group }: AgentGroup = presentGroup(context)
  return { ...group, grants: standing(context).map(grantTerms), wirings: wired(context).map(wiringTerms) }
}

const members = ['id', 'name', 'agent', 'persona', 'model'] as const

export const agentRemove = defineKind('agent_remove', {
  target: 'existing',
  needsRelaunch: false,
  serializedBy: null,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: 'never',
  slice: (_after, context) => whole(context),
  outcome: () => null,
  verify: () => undefined,
  risk: () => 'medium',
  describe: (_after, context) => {
    const { id, name } = presentGroup(context)
    const loses = `${amount(standing(context).length, 'grant')} and ${amount(wired(context).length, 'wiring')}`
    return `Removes the agent group ${id} (${quote(name)}) with ${loses}: its sessions end, its files are kept for 7 days`
  },
  apply: (_after, { context }, stamp) => ({ type: 'group-removed', agentGroupID: context.agentGroupID, at: stamp.at }),
  invert: (_after, before) =>
    before === null
      ? undefined
      : { kind: 'agent_create', after: Object.fromEntries(members.filter((name) => name in before).map((name) => [name, before[name]])) },
})
