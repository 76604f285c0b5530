// Hands a person's word on a change to the gateway, and says what came of it. Who that person is here, the gateway finds out.
import { createHash } from 'node:crypto'
import { type Card, type ChannelName, type Decided, type gatewayChannels, limits, type Params } from '@gatehouse/contracts'
import { type Buckets, type Logger, type Metrics, wallTime } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import type { Channel, Inbound, Outcome, Press, Pressed, ShownCard } from '../channel.ts'
import type { DecisionWord } from '../commands/command.ts'
import type { Pacer } from '../state/pacer.ts'
import { answerOf, endingOf, isOpen } from './words.ts'

export interface Deciding {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'decideAs'>
  readonly channels: ReadonlyMap<ChannelName, Channel>
  readonly pacer: Pacer
  /** Words by person: a machine that decides for ever is slowed here. */
  readonly budget: Buckets
  readonly show: (card: Card) => ShownCard
  readonly metrics: Metrics
  readonly log: Logger
  readonly signal: AbortSignal
}

export const decisionOutcomes = ['approved', 'rejected', 'refused', 'unheard', 'busy'] as const

type Word = Params<typeof gatewayChannels, 'decideAs'>

/** Undefined: nothing is said to who is not heard. */
const answerFor = (deciding: Deciding, decided: Decided): Pressed => {
  if (decided.outcome === 'unheard') return {}
  const card = decided.card === undefined ? undefined : deciding.show(decided.card)
  if (decided.outcome === 'taken') return card === undefined ? {} : { text: endingOf(card), card }
  const again =
    card !== undefined && isOpen(card) && decided.code !== 'forbidden'
      ? `\nAs it is now: ${card.summary}\n${answerOf('approve', card)}`
      : ''
  return { text: `Not decided: ${decided.detail}.${again}`, ...(card !== undefined && { card }) }
}

/** Rejects where it is not known what came of it. */
const ask = async (deciding: Deciding, word: Word): Promise<{ decided: Decided | undefined; pressed: Pressed }> => {
  const { gateway, budget, metrics, log } = deciding
  const { channel, user, address, outcome } = word
  const count = (what: (typeof decisionOutcomes)[number]): void => metrics.counter('card_decisions_total').inc({ channel, outcome: what })
  if (!budget.take(`${channel} ${address} ${user}`).ok) {
    count('busy')
    return { decided: undefined, pressed: {} }
  }
  const decided = await gateway.decideAs(word)
  count(decided.outcome === 'taken' ? (outcome === 'approve' ? 'approved' : 'rejected') : decided.outcome)
  if (decided.outcome === 'refused')
    log.info('a decision of a channel is refused', { channel, change: decided.card?.changeID, code: decided.code })
  return { decided, pressed: answerFor(deciding, decided) }
}

const wordOf = (channel: ChannelName, { address, user, changeID, digest, outcome, reason }: Press): Word => ({
  channel,
  address,
  user,
  change: changeID,
  digest: digest.toLowerCase(),
  outcome,
  ...(reason !== undefined && { reason }),
})

/** Never rejects: who pressed a button can press it again. */
export const decideByPress = async (deciding: Deciding, channel: ChannelName, press: Press): Promise<Pressed> => {
  try {
    return (await ask(deciding, wordOf(channel, press))).pressed
  } catch (error) {
    deciding.log.warn('it is not known what came of a decision', { channel, error })
    return { text: 'It is not known what came of it: look at the card, and press again if it still waits.' }
  }
}

const answerID = (channel: ChannelName, { id }: Inbound): string =>
  `msg_${createHash('sha256').update(`answer\n${channel}\n${id}`).digest('hex').slice(0, 32)}`

/** Once, and no more: what was decided is on the card in any case. */
const say = async (
  { channels, pacer, signal, log }: Deciding,
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
    log.warn('a person could not be told what came of a decision', { channel: name, error })
  }
}

const explanation = `Nothing was decided, and the agent was not given your letter: it holds a line that decides a change, but does not begin with it.
To decide, answer the card with its line as the first line of your letter, above everything that your mail program quotes:

approve CHANGE DIGEST

To write to the agent, leave that line out.`

/** The person is admitted. The text holds no line that decides, so that a machine that returns it decides nothing. */
export const explainDecision = (deciding: Deciding, name: ChannelName, message: Inbound): Outcome => {
  if (!deciding.budget.take(`${name} ${message.address} ${message.user}`).ok) return 'busy'
  void say(deciding, name, { message, text: explanation })
  return 'unclear'
}

/** What came of it is shown by the card itself. */
const isShown = ({ channels }: Deciding, name: ChannelName, decided: Decided): boolean =>
  decided.outcome === 'taken' && decided.card?.state !== 'approved' && channels.get(name)?.cards === undefined

/** A word that was taken is shown by the card itself where cards are texts, unless it is applied later. Rejects where it is not known what came of it. */
export const decideByText = async (
  deciding: Deciding,
  name: ChannelName,
  { message, word }: { message: Inbound; word: DecisionWord },
): Promise<Outcome> => {
  const { address, user } = message
  const { change, digest, outcome, reason } = word
  const { decided, pressed } = await ask(deciding, {
    channel: name,
    address,
    user,
    change,
    outcome,
    ...(digest !== undefined && { digest }),
    ...(reason !== undefined && { reason }),
  })
  if (decided === undefined) return 'busy'
  if (decided.outcome === 'unheard') return decided.why
  if (pressed.text !== undefined && !isShown(deciding, name, decided)) void say(deciding, name, { message, text: pressed.text })
  return 'decided'
}
