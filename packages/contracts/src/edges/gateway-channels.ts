// Calls of the channels process: admission of messages and answers, approval cards, and decisions from a channel.
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
    /** Maximum MiB of the group's workspace. */
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
    /** The tasks for cards, oldest change first. `wait`: milliseconds until the next reminder. */
    cards: call(
      v.strictObject({ channels: v.array(Channel), limit: v.number(), skip: v.array(v.number()) }),
      v.strictObject({ items: v.array(CardTask), wait: v.optional(v.number()) }),
      { patient: true, large: true },
    ),
    /** Reports that a task was done or failed permanently. Idempotent. */
    carded: call(
      v.strictObject({
        ...v.pick(CardTask, ['id', 'act', 'revision', 'version', 'reference', 'reminder']).entries,
        failed: v.optional(v.boolean(), false),
      }),
      v.strictObject({}),
      { patient: true },
    ),
    /**
     * A user's decision on a change of the group at this address. The gateway authenticates and authorizes the user. Throws
     * only if the outcome is unknown. Idempotent.
     */
    decideAs: call(
      v.strictObject({
        ...place,
        user: ChannelText,
        /** The id of the change, or the short id of its card. */
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
    /** New card tasks may be available. */
    'cards-changed': v.strictObject({}),
    'freeze-changed': v.strictObject({}),
  },
})
