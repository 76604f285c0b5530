// The envelope stored beside each incoming message: where an answer goes, and what the channel needs to know then.
import { ChannelText, Reference } from '@gatehouse/contracts'
import * as v from 'valibot'

export const Envelope = v.strictObject({
  address: ChannelText,
  thread: v.optional(v.string()),
  /** The channel's own. */
  own: Reference,
})
export type Envelope = v.InferOutput<typeof Envelope>
