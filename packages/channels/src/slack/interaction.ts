// Buttons of a card: their payload, and what Slack sends when one is clicked.
import { ChangeID, Digest, jsonBounds, limits } from '@gatehouse/contracts'
import { jsonText } from '@gatehouse/kernel'
import * as v from 'valibot'
import type { Press, ShownCard } from '../channel.ts'
import { Id, Stamp } from './read.ts'
import type { Me } from './verify.ts'

export const actions = { approve: 'gatehouse_approve', reject: 'gatehouse_reject' } as const
export const reasonAction = 'gatehouse_reason'

/** The whole digest: a card that has moved since is not decided by an old button. */
const Value = v.pipe(v.string(), v.maxLength(256), jsonText(jsonBounds.channelEvent), v.strictObject({ change: ChangeID, digest: Digest }))

export const pressValue = ({ changeID, digest }: ShownCard): string =>
  JSON.stringify({ change: changeID, digest } satisfies v.InferOutput<typeof Value>)

const Action = v.object({
  type: v.literal('button'),
  action_id: v.picklist(Object.values(actions)),
  value: Value,
  /** When it was pressed. */
  action_ts: Stamp,
})

const Pressed = v.object({
  type: v.literal('block_actions'),
  user: v.object({ id: Id }),
  team: v.nullish(v.object({ id: v.string() })),
  container: v.object({ type: v.literal('message'), channel_id: Id, message_ts: Stamp, thread_ts: v.optional(Stamp) }),
  message: v.optional(v.object({ thread_ts: v.optional(Stamp) })),
  actions: v.strictTuple([Action]),
  /** What is typed into the card by who presses, by block and by action. */
  state: v.nullish(v.object({ values: v.record(v.string(), v.record(v.string(), v.object({ value: v.nullish(v.string()) }))) })),
})

/** A press, and the message that has the button. */
export interface SlackPress {
  readonly press: Press
  readonly channel: string
  readonly ts: string
  readonly thread: string | undefined
}

const reasonOf = ({ state }: v.InferOutput<typeof Pressed>): string | undefined => {
  const typed = Object.values(state?.values ?? {}).map((block) => block[reasonAction]?.value ?? '')
  const reason = typed.join(' ').trim().slice(0, limits.cardReason)
  return reason === '' ? undefined : reason
}

/** Undefined: it is none of ours. Who pressed it is who Slack says it was; no other field names a person. */
export const readPress = (given: unknown, me: Me): SlackPress | undefined => {
  const { success, output } = v.safeParse(Pressed, given)
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
