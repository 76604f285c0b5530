// What the control plane may ask of the channels: how they fare, and the raw bytes of a webhook, which it cannot judge itself.
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
    /** Asks the service whether it takes the credentials. Sends nothing to people. */
    check: call(v.strictObject({ channel: Channel }), ChannelCheck, { deadline: limits.probeTime + 2_000 }),
    /** `duplicate`: accepted before. `bad_signature`: no secret matches, or the timestamp is out of range. `absent`: this unit has no secret. */
    webhook: call(
      v.strictObject({ id: header, timestamp: header, signature: header, body: v.pipe(v.string(), v.maxBytes(limits.webhookBody)) }),
      v.strictObject({
        outcome: v.picklist(['accepted', 'duplicate', 'refused', 'bad_signature', 'invalid', 'busy', 'absent']),
        /** For who has proved to hold a secret. */
        detail: v.optional(v.string()),
      }),
      { patient: true, large: true },
    ),
  },
  events: {},
})
