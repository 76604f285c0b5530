// The fields of grants and wirings that approvers see, and who can message a group; shared by several kinds.
import { type AgentGroup, type ChannelName, channelTable, type Grant, type Heard, type Wired, type WiringTerms } from '@gatehouse/contracts'
import { canonical } from '@gatehouse/kernel'
import type * as v from 'valibot'
import { amount } from '../text.ts'
import type { Json } from './kind.ts'

type Members = Pick<AgentGroup, 'members'>

const listPeople = (channel: ChannelName, { members }: Members): string[] =>
  members.filter((member) => member.channel === channel).map(({ user }) => user)

/** The people at each address. As evidence, it makes an approval stale when the members change before the decision. */
export const audienceEvidence = (places: readonly { channel: ChannelName; address: string }[], group: Members): Heard => ({
  status: 'heard',
  places: places.map(({ channel, address }) => ({
    channel,
    address,
    people: group.members.length === 0 ? 'anyone' : listPeople(channel, group).toSorted(),
  })),
})

/** The subject of "can message it". */
export const describeAudience = (channel: ChannelName, group: Members): string => {
  if (group.members.length === 0) return channelTable[channel].audience
  const own = listPeople(channel, group)
  return own.length === 0 ? `no one (no member uses ${channel})` : `only ${amount(own.length, 'member')}`
}

export const grantTerms = ({ server, tools, expiresAt, maxCalls, state }: Grant): Json => ({
  server,
  tools,
  ...(expiresAt === undefined ? {} : { expiresAt }),
  ...(maxCalls === undefined ? {} : { maxCalls }),
  ...(state === 'suspended' ? { state } : {}),
})

/** The terms as a new grant would have them. */
export const asAccessTerms = ({ state: _state, ...terms }: Json): Json => terms

/** Whether an item of `before` is missing from `after`. A value that is not a list counts as empty. */
export const isRemoved = (before: unknown, after: readonly unknown[]): boolean => {
  const kept = new Set(after.map(canonical))
  return Array.isArray(before) && before.some((item) => !kept.has(canonical(item)))
}

/** The fields of a wiring that a person sees. */
export type Terms = v.InferOutput<typeof WiringTerms>

export const wiringTerms = ({ agentGroupID: _group, changeID: _change, ...terms }: Wired): Terms => terms
