// The conversation that a message belongs to: one for the place, one a thread, or one a person, as its wiring says.
import { createHash } from 'node:crypto'
import { type Admission, type ChannelName, ConversationID } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Inbound } from '../channel.ts'

const plain = /^[A-Za-z0-9._@-]+$/

/** Readable where all of it can be written, else by its digest; never the same for two. */
export const conversationOf = (
  channel: ChannelName,
  session: Extract<Admission, { admitted: true }>['session'],
  { address, thread, user }: Pick<Inbound, 'address' | 'thread' | 'user'>,
): ConversationID => {
  const parts = [
    address,
    ...(session === 'person' ? ['person', user] : session === 'thread' && thread !== undefined ? ['thread', thread] : []),
  ]
  const readable = [channel, ...parts].join(':')
  const isReadable = readable.length <= 128 && parts.every((part) => plain.test(part))
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return v.parse(ConversationID, isReadable ? readable : `${channel}:${digest.slice(0, 40)}`)
}
