// Who can message a group at a channel address: as evidence for approvers, and as part of a sentence.
import { type AgentGroup, type ChannelName, channelTable, type Heard } from '@gatehouse/contracts'
import { amount } from '../text.ts'

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
