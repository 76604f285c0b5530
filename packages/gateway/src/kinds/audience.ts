// Who can talk to a group at a channel address: as evidence for approvers, and in words.
import { type AgentGroup, type ChannelName, channelTable, type Heard } from '@gatehouse/contracts'
import { amount } from '../text.ts'

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
  if (group.members.length === 0) return channelTable[channel].audience
  const own = peopleOf(channel, group)
  return own.length === 0 ? `nobody (none of its members is of ${channel})` : `${amount(own.length, 'member')} alone`
}
