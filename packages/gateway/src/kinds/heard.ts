// Who is heard at an address of a channel, in words: what whoever approves a wiring, or the members of a group, must know.
import type { AgentGroup, ChannelName } from '@gatehouse/contracts'
import { amount } from './words.ts'

/** Of a group without members, however its agent is addressed: who writes there can address it. */
const everybody: Readonly<Record<ChannelName, string>> = {
  slack: 'anyone who can write in that place',
  telegram: 'anyone who can write in that chat',
  email: 'anyone who can send mail there',
  webhook: 'anyone who holds the secret of webhooks',
}

/** The object of "hears". */
export const heardAt = (channel: ChannelName, { members }: Pick<AgentGroup, 'members'>): string => {
  if (members.length === 0) return everybody[channel]
  const own = members.filter((member) => member.channel === channel)
  return own.length === 0 ? `nobody (none of its members is of ${channel})` : `${amount(own.length, 'member')} alone`
}
