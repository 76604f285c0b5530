// Calls of the control plane to the channels: status, checks, and raw webhooks, which the control plane cannot authenticate.
import * as v from 'valibot'
import { Channel } from '../channel-table.ts'
import { ChannelCheck, ChannelList } from '../channels.ts'
import { call, defineEdge } from '../edge.ts'
import { limits } from '../limits.ts'

const header = v.pipe(v.string(), v.maxLength(limits.requestHeaders))

export const channelsControlPlane = defineEdge({
  server: 'channels',
  caller: 'control-plane',
  calls: {
    channels: call(v.strictObject({}), ChannelList, { patient: true, large: true }),
    /** Checks the credentials with the service. Sends no message. */
    check: call(v.strictObject({ channel: Channel }), ChannelCheck, { deadline: limits.probeTime + 2_000 }),
    /** `duplicate`: accepted before. `bad_signature`: no secret matches, or the timestamp is out of range. `absent`: this unit has no secret. */
    webhook: call(
      v.strictObject({ id: header, timestamp: header, signature: header, body: v.pipe(v.string(), v.maxBytes(limits.webhookBody)) }),
      v.strictObject({
        outcome: v.picklist(['accepted', 'duplicate', 'refused', 'bad_signature', 'invalid', 'busy', 'absent']),
        /** Only for senders with a valid signature. */
        detail: v.optional(v.string()),
      }),
      { patient: true, large: true },
    ),
  },
  events: {},
})
