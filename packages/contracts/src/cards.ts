// A held change as it is shown where people are, and what is to be done about it there. The gateway writes it, channels show it.
import * as v from 'valibot'
import { ChangeState, Decision, Failure } from './change.ts'
import { Channel } from './channel-table.ts'
import { ChannelText } from './channels.ts'
import { AgentGroupID, ChangeID, Digest, SessionID, Time } from './ids.ts'
import { JsonObject } from './json.ts'
import { Kind, Risk } from './kinds/kinds.ts'
import { limits } from './limits.ts'

/** No secret is in it, and nothing in its texts hides or reorders. It is not escaped for the markup of any channel. */
export const Card = v.strictObject({
  changeID: ChangeID,
  /** Enough to tell it from what else waits at the same place. */
  short: v.string(),
  kind: Kind,
  agentGroupID: AgentGroupID,
  state: ChangeState,
  requestedBy: v.string(),
  /** One sentence. */
  summary: v.string(),
  reason: v.optional(v.string()),
  risk: Risk,
  /** Of all that is approved. Goes with a decision, so that it is about what was shown. */
  digest: Digest,
  /** Of the evidence. */
  evidence: v.union([Digest, v.picklist(['none', 'unavailable'])]),
  afterToolOutput: v.boolean(),
  approvals: v.strictObject({ needed: v.number(), given: v.number() }),
  expiresAt: v.optional(Time),
  /** Not decided in a channel: in the console or by svcctl. */
  byHand: v.boolean(),
  decisions: v.array(Decision),
  failure: v.optional(Failure),
})
export type Card = v.InferOutput<typeof Card>

/** What channels need to find their card again: written by them, read by nobody else. */
export const CardReference = v.pipe(
  JsonObject,
  v.check((reference) => JSON.stringify(reference).length <= limits.cardReference, 'expected a reference of at most 32 KiB'),
)

/** Something to be done about one card at one place. */
export const CardTask = v.strictObject({
  /** Of the card at this place. */
  id: v.number(),
  act: v.picklist(['post', 'update', 'remind']),
  /** Given back when it is done, so that what came meanwhile is not taken for shown. */
  revision: v.number(),
  version: v.string(),
  channel: Channel,
  address: ChannelText,
  card: Card,
  /** The agent's session in which it was asked for. */
  session: v.optional(SessionID),
  /** People of this channel whose decision would count. */
  approvers: v.array(v.string()),
  /** Where it stands already. */
  reference: v.optional(CardReference),
  /** Which of the reminders. */
  reminder: v.optional(v.number()),
})
export type CardTask = v.InferOutput<typeof CardTask>

/** The outcome of a person's decision. An ignored person gets no answer. */
export const Decided = v.variant('outcome', [
  v.strictObject({ outcome: v.literal('accepted'), card: Card }),
  v.strictObject({ outcome: v.literal('refused'), code: v.string(), detail: v.string(), card: v.optional(Card) }),
  v.strictObject({ outcome: v.literal('ignored'), why: v.picklist(['not_routed', 'not_member']) }),
])
export type Decided = v.InferOutput<typeof Decided>
