// Passes a person's decision to the gateway and replies with the outcome. The gateway maps the user to a principal.
import { createHash } from 'node:crypto'
import { type Card, type ChannelName, type Decided, type gatewayChannels, limits, type Params } from '@gatehouse/contracts'
import { type Buckets, type Logger, type Metrics, wallTime } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { Channel, Inbound, Outcome, Interaction, InteractionReply, ShownCard } from '../channel.ts'
import type { DecisionCommand } from '../commands/command.ts'
import type { Pacer } from '../state/pacer.ts'
import { answerOf, endingOf, isOpen } from './texts.ts'

export interface DecisionContext {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'decideAs'>
  readonly channels: ReadonlyMap<ChannelName, Channel>
  readonly pacer: Pacer
  /** Rate limit of decisions by person. */
  readonly budget: Buckets
  readonly show: (card: Card) => ShownCard
  readonly metrics: Metrics
  readonly log: Logger
  readonly signal: AbortSignal
}

export const decisionOutcomes = ['approved', 'rejected', 'refused', 'ignored', 'busy'] as const

type DecisionParams = Params<typeof gatewayChannels, 'decideAs'>

/** Empty if the sender is ignored. */
const answerFor = (context: DecisionContext, decided: Decided): InteractionReply => {
  if (decided.outcome === 'ignored') return {}
  const card = decided.card === undefined ? undefined : context.show(decided.card)
  if (decided.outcome === 'accepted') return card === undefined ? {} : { text: endingOf(card), card }
  const again =
    card !== undefined && isOpen(card) && decided.code !== 'forbidden'
      ? `\nCurrent state: ${card.summary}\n${answerOf('approve', card)}`
      : ''
  return { text: `Not decided: ${decided.detail}.${again}`, ...(card !== undefined && { card }) }
}

/** Rejects if the outcome is unknown. */
const submitDecision = async (
  context: DecisionContext,
  params: DecisionParams,
): Promise<{ decided: Decided | undefined; pressed: InteractionReply }> => {
  const { gateway, budget, metrics, log } = context
  const { channel, user, address, outcome } = params
  const count = (what: (typeof decisionOutcomes)[number]): void => metrics.counter('card_decisions_total').inc({ channel, outcome: what })
  if (!budget.take(`${channel} ${address} ${user}`).ok) {
    count('busy')
    return { decided: undefined, pressed: {} }
  }
  const decided = await gateway.decideAs(params)
  count(decided.outcome === 'accepted' ? (outcome === 'approve' ? 'approved' : 'rejected') : decided.outcome)
  if (decided.outcome === 'refused') log.info('channel decision refused', { channel, change: decided.card?.changeID, code: decided.code })
  return { decided, pressed: answerFor(context, decided) }
}

const toDecisionParams = (channel: ChannelName, { address, user, changeID, digest, outcome, reason }: Interaction): DecisionParams => ({
  channel,
  address,
  user,
  change: changeID,
  digest: digest.toLowerCase(),
  outcome,
  ...(reason !== undefined && { reason }),
})

/** Never rejects: the person can click the button again. */
export const decideByInteraction = async (
  context: DecisionContext,
  channel: ChannelName,
  press: Interaction,
): Promise<InteractionReply> => {
  try {
    return (await submitDecision(context, toDecisionParams(channel, press))).pressed
  } catch (error) {
    context.log.warn('decision outcome unknown', { channel, error })
    return { text: 'Decision outcome unknown. Check the card, and try again if the change is still pending.' }
  }
}

const answerID = (channel: ChannelName, { id }: Inbound): string =>
  `msg_${createHash('sha256').update(`answer\n${channel}\n${id}`).digest('hex').slice(0, 32)}`

/** Sent once at most: the card shows the outcome in any case. */
const sendReply = async (
  { channels, pacer, signal, log }: DecisionContext,
  name: ChannelName,
  { message, text }: { message: Inbound; text: string },
): Promise<void> => {
  const channel = channels.get(name)
  if (channel === undefined) return
  const { address, thread, reference } = message
  const most = AbortSignal.any([signal, AbortSignal.timeout(limits.channelSendTime)])
  try {
    await pacer.wait(name, channel.can.pace, most)
    await channel.send(
      {
        id: answerID(name, message),
        address,
        thread,
        text: text.slice(0, channel.can.length),
        at: wallTime(),
        files: [],
        part: 0,
        parts: 1,
        reference,
      },
      most,
    )
  } catch (error) {
    log.warn('could not send decision outcome', { channel: name, error })
  }
}

const explanation = `Nothing was decided, and the agent did not receive your message: it contains a decision, but not as its first line.
To decide, reply to the card with this as the first line of your message, above all quoted text:

approve CHANGE DIGEST

To write to the agent, leave out that line.`

/** For admitted persons. The text itself holds no valid decision, so that a program that returns it decides nothing. */
export const explainDecision = (context: DecisionContext, name: ChannelName, message: Inbound): Outcome => {
  if (!context.budget.take(`${name} ${message.address} ${message.user}`).ok) return 'busy'
  void sendReply(context, name, { message, text: explanation })
  return 'unclear'
}

/** The updated card shows the outcome. */
const isShownByCard = ({ channels }: DecisionContext, name: ChannelName, decided: Decided): boolean =>
  decided.outcome === 'accepted' && decided.card?.state !== 'approved' && channels.get(name)?.cards === undefined

/** Replies with the outcome, unless the updated card already shows it. Rejects if the outcome is unknown. */
export const decideByText = async (
  context: DecisionContext,
  name: ChannelName,
  { message, word }: { message: Inbound; word: DecisionCommand },
): Promise<Outcome> => {
  const { address, user } = message
  const { change, digest, outcome, reason } = word
  const { decided, pressed } = await submitDecision(context, {
    channel: name,
    address,
    user,
    change,
    outcome,
    ...(digest !== undefined && { digest }),
    ...(reason !== undefined && { reason }),
  })
  if (decided === undefined) return 'busy'
  if (decided.outcome === 'ignored') return decided.why
  if (pressed.text !== undefined && !isShownByCard(context, name, decided)) void sendReply(context, name, { message, text: pressed.text })
  return 'decided'
}
