// The envelope stored with each incoming message: where the reply goes and what the channel needs to send it.
import { ChannelText, Reference } from '@gatehouse/contracts'
import * as v from 'valibot'

export const Envelope = v.strictObject({
  address: ChannelText,
  thread: v.optional(v.string()),
  /** Defined by the channel. */
  own: Reference,
})
export type Envelope = v.InferOutput<typeof Envelope>
