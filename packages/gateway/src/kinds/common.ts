// What approvers see of grants, wirings and channel audiences, shared by several kinds.
import type { AgentGroup, ChannelName, Grant, Wired, WiringTerms, Heard } from '@gatehouse/contracts'
import { canonical } from '@gatehouse/kernel'
import type * as v from 'valibot'
import { amount } from '../text.ts'
import type { Json } from './kind.ts'

export const grantTerms = ({ server, tools, expiresAt, maxCalls, state }: Grant): Json => ({
  server,
  tools,
  ...(expiresAt === undefined ? {} : { expiresAt }),
  ...(maxCalls === undefined ? {} : { maxCalls }),
  ...(state === 'suspended' ? { state } : {}),
})

/** The same as a new approval would give it. */
export const asAccessTerms = ({ state: _state, ...terms }: Json): Json => terms

/** What is no list holds nothing. */
export const isRemoved = (before: unknown, after: readonly unknown[]): boolean => {
  const kept = new Set(after.map(canonical))
  return Array.isArray(before) && before.some((item) => !kept.has(canonical(item)))
}

/** What a person sees of a wiring. */
export type Terms = v.InferOutput<typeof WiringTerms>

export const wiringTerms = ({ agentGroupID: _group, changeID: _change, ...terms }: Wired): Terms => terms

/** Of a group without members, however its agent is addressed: who writes there can address it. */
const everybody: Readonly<Record<ChannelName, string>> = {
  slack: 'anyone who can write in that place',
  telegram: 'anyone who can write in that chat',
  email: 'anyone who can send mail there',
  webhook: 'anyone who holds the secret of webhooks',
}

type Members = Pick<AgentGroup, 'members'>

const peopleOf = (channel: ChannelName, { members }: Members): string[] =>
  members.filter((member) => member.channel === channel).map(({ user }) => user)

/** Evidence, so that a decision is about those who are heard then: one that was shown others is refused. */
export const audienceEvidence = (places: readonly { channel: ChannelName; address: string }[], group: Members): Heard => ({
  status: 'heard',
  places: places.map(({ channel, address }) => ({
    channel,
    address,
    people: group.members.length === 0 ? 'anyone' : peopleOf(channel, group).toSorted(),
  })),
})

/** The object of "hears". */
export const audienceOf = (channel: ChannelName, group: Members): string => {
  if (group.members.length === 0) return everybody[channel]
  const own = peopleOf(channel, group)
  return own.length === 0 ? `nobody (none of its members is of ${channel})` : `${amount(own.length, 'member')} alone`
}
