// What channels may ask: whether a person may be heard at an address, whether an agent may speak there, which cards are to be
// shown where; and the narrow way in which a person decides there.
import * as v from 'valibot'
import { CardTask, Decided } from '../cards.ts'
import { Reason } from '../change.ts'
import { Channel } from '../channel-table.ts'
import { ChannelText } from '../channels.ts'
import { call, defineEdge } from '../edge.ts'
import { AgentGroupID } from '../ids.ts'
import { WiringTerms } from '../kinds/agents.ts'

const { engage, pattern, session } = WiringTerms.entries

/** `not_routed`: the address has no wiring. `not_member`: the person is not a member of the wired group. */
export const Admission = v.variant('admitted', [
  v.strictObject({
    admitted: v.literal(true),
    agentGroupID: AgentGroupID,
    engage,
    pattern,
    session,
    /** MiB that the group's workspace may hold. */
    workspaceMiB: v.number(),
  }),
  v.strictObject({ admitted: v.literal(false), why: v.picklist(['not_routed', 'not_member']) }),
])
export type Admission = v.InferOutput<typeof Admission>

/** `frozen`: wait until the freeze is lifted. `not_routed`: the address is no longer wired to this group. */
const Speech = v.picklist(['allowed', 'frozen', 'not_routed'])

const place = { channel: Channel, address: ChannelText }

export const gatewayChannels = defineEdge({
  server: 'gateway',
  caller: 'channels',
  calls: {
    admit: call(v.strictObject({ ...place, user: ChannelText }), Admission, { patient: true }),
    /** What is to be done about cards, the oldest change first; `wait`: milliseconds until the next reminder. */
    cards: call(
      v.strictObject({ channels: v.array(Channel), limit: v.number(), skip: v.array(v.number()) }),
      v.strictObject({ items: v.array(CardTask), wait: v.optional(v.number()) }),
      { patient: true, large: true },
    ),
    /** It was done, or will never be. Twice is as good as once. */
    carded: call(
      v.strictObject({
        ...v.pick(CardTask, ['id', 'act', 'revision', 'version', 'reference', 'reminder']).entries,
        failed: v.optional(v.boolean(), false),
      }),
      v.strictObject({}),
      { patient: true },
    ),
    /**
     * A person's word on a change of the group that the address leads to. Who that is, and what it may do, the gateway
     * finds out itself. Rejects only where it is not known what came of it: the same word again is as good as once.
     */
    decideAs: call(
      v.strictObject({
        ...place,
        user: ChannelText,
        /** The id of the change, or the short one of its card. */
        change: v.pipe(v.string(), v.maxLength(64)),
        /** The first digits of the digest that was shown, or all of them. */
        digest: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{1,64}$/, 'expected 1 to 64 hex digits'))),
        outcome: v.picklist(['approve', 'reject']),
        reason: v.optional(Reason),
      }),
      Decided,
      { patient: true },
    ),
    maySpeak: call(v.strictObject({ ...place, agentGroupID: AgentGroupID }), v.strictObject({ verdict: Speech }), { patient: true }),
  },
  events: {
    /** Something may be to be done about cards. */
    'cards-changed': v.strictObject({}),
    'freeze-changed': v.strictObject({}),
  },
})
