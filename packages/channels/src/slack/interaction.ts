// The buttons of a card: their payload, and the event that Slack sends for a click.
import { ChangeID, Digest, jsonBounds, limits } from '@gatehouse/contracts'
import { jsonText } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Interaction, ShownCard } from '../channel.ts'
import { Id, Stamp } from './read.ts'
import type { Me } from './verify.ts'

export const actions = { approve: 'gatehouse_approve', reject: 'gatehouse_reject' } as const
export const reasonAction = 'gatehouse_reason'

/** Holds the complete digest, so that an outdated button decides nothing. */
const Value = v.pipe(v.string(), v.maxLength(256), jsonText(jsonBounds.channelEvent), v.strictObject({ change: ChangeID, digest: Digest }))

export const buttonValue = ({ changeID, digest }: ShownCard): string =>
  JSON.stringify({ change: changeID, digest } satisfies v.InferOutput<typeof Value>)

const Action = v.object({
  type: v.literal('button'),
  action_id: v.picklist(Object.values(actions)),
  value: Value,
  /** Time of the click. */
  action_ts: Stamp,
})

const InteractionReply = v.object({
  type: v.literal('block_actions'),
  user: v.object({ id: Id }),
  team: v.nullish(v.object({ id: v.string() })),
  container: v.object({ type: v.literal('message'), channel_id: Id, message_ts: Stamp, thread_ts: v.optional(Stamp) }),
  message: v.optional(v.object({ thread_ts: v.optional(Stamp) })),
  actions: v.strictTuple([Action]),
  /** Input values of the clicking person, by block and action. */
  state: v.nullish(v.object({ values: v.record(v.string(), v.record(v.string(), v.object({ value: v.nullish(v.string()) }))) })),
})

/** An interaction and the message of its button. */
export interface SlackInteraction {
  readonly press: Interaction
  readonly channel: string
  readonly ts: string
  readonly thread: string | undefined
}

const reasonOf = ({ state }: v.InferOutput<typeof InteractionReply>): string | undefined => {
  const inputs = Object.values(state?.values ?? {}).map((block) => block[reasonAction]?.value ?? '')
  const reason = inputs.join(' ').trim().slice(0, limits.cardReason)
  return reason === '' ? undefined : reason
}

/** Undefined if it is not one of the unit's buttons. The person is the one that Slack authenticated; no other field names one. */
export const parseInteraction = (given: unknown, me: Me): SlackInteraction | undefined => {
  const { success, output } = v.safeParse(InteractionReply, given)
  if (!success || (output.team?.id !== me.team_id && !me.is_enterprise_install)) return undefined
  const { user, container, message, actions: presses } = output
  const [{ action_id, action_ts, value }] = presses
  const { channel_id: channel, message_ts: ts } = container
  const reason = reasonOf(output)
  return {
    press: {
      id: `${channel}:${ts}:${user.id}:${action_ts}`,
      address: channel,
      user: user.id,
      changeID: value.change,
      digest: value.digest,
      outcome: action_id === actions.approve ? 'approve' : 'reject',
      ...(reason !== undefined && { reason }),
    },
    channel,
    ts,
    thread: container.thread_ts ?? message?.thread_ts,
  }
}
