// Approval cards: the content of a pending change for channels, and the tasks to show it. Written by the gateway.
import * as v from 'valibot'
import { ChangeState, Decision, Failure } from './change.ts'
import { Channel } from './channel-table.ts'
import { ChannelText } from './channels.ts'
import { AgentGroupID, ChangeID, Digest, SessionID, Time } from './ids.ts'
import { JsonObject } from './json.ts'
import { Kind, Risk } from './kinds/kinds.ts'
import { limits } from './limits.ts'

/** Contains no secrets and no hidden characters. Its text is not escaped for the markup of a channel. */
export const Card = v.strictObject({
  changeID: ChangeID,
  /** Short id, unique among the pending changes of the group. */
  short: v.string(),
  kind: Kind,
  agentGroupID: AgentGroupID,
  state: ChangeState,
  requestedBy: v.string(),
  /** One sentence on what the change does. */
  summary: v.string(),
  reason: v.optional(v.string()),
  risk: Risk,
  /** Digest of everything that is approved. A decision includes it, so that it applies to what was shown. */
  digest: Digest,
  /** Digest of the evidence. */
  evidence: v.union([Digest, v.picklist(['none', 'unavailable'])]),
  afterToolOutput: v.boolean(),
  approvals: v.strictObject({ needed: v.number(), given: v.number() }),
  expiresAt: v.optional(Time),
  /** Whether the change can only be decided in the console or with svcctl. */
  byHand: v.boolean(),
  decisions: v.array(Decision),
  failure: v.optional(Failure),
})
export type Card = v.InferOutput<typeof Card>

/** Identifies a posted card. Written and read only by the channel. */
export const CardReference = v.pipe(
  JsonObject,
  v.check((reference) => JSON.stringify(reference).length <= limits.cardReference, 'must be at most 32 KiB'),
)

/** One task for a card at an address. */
export const CardTask = v.strictObject({
  /** Id of the card at this address. */
  id: v.number(),
  act: v.picklist(['post', 'update', 'remind']),
  /** Returned in the delivery report, so that a newer revision is still shown. */
  revision: v.number(),
  version: v.string(),
  channel: Channel,
  address: ChannelText,
  card: Card,
  /** The session of the agent that requested the change. */
  session: v.optional(SessionID),
  /** Users of this channel whose decision would count. */
  approvers: v.array(v.string()),
  /** The posted card, if there is one. */
  reference: v.optional(CardReference),
  /** Number of the reminder. */
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
