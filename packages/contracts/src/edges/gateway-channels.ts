// What channels may ask: whether a person may be heard at an address, and whether an agent may speak there, now.
import * as v from 'valibot'
import { ChannelText } from '../channels.ts'
import { AgentGroupID } from '../ids.ts'
import { Channel, WiringTerms } from '../kinds/agents.ts'
import { call, defineEdge } from './edge.ts'

/** `unwired`: the address leads nowhere. `stranger`: the person is no member of the group that it leads to. */
export const Admission = v.variant('admitted', [
  v.strictObject({
    admitted: v.literal(true),
    agentGroupID: AgentGroupID,
    ...v.pick(WiringTerms, ['engage', 'pattern', 'session']).entries,
    /** MiB that the group's workspace may hold. */
    workspaceMiB: v.number(),
  }),
  v.strictObject({ admitted: v.literal(false), why: v.picklist(['unwired', 'stranger']) }),
])
export type Admission = v.InferOutput<typeof Admission>

/** `frozen`: it waits until the freeze is lifted. `unwired`: the address leads to this group no more. */
export const Speech = v.picklist(['allowed', 'frozen', 'unwired'])

const place = { channel: Channel, address: ChannelText }

export const gatewayChannels = defineEdge({
  server: 'gateway',
  caller: 'channels',
  calls: {
    admit: call(v.strictObject({ ...place, user: ChannelText }), Admission, { patient: true }),
    maySpeak: call(v.strictObject({ ...place, agentGroupID: AgentGroupID }), v.strictObject({ verdict: Speech }), { patient: true }),
  },
  events: {
    'freeze-changed': v.strictObject({}),
  },
})
