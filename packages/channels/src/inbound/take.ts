// Takes every incoming message of every channel: admitted by the gateway, addressed to the agent, within limits, stored on disk.
import { createHash } from 'node:crypto'
import {
  type Admission,
  type ChannelName,
  ConversationID,
  type gatewayChannels,
  isServiceError,
  limits,
  type runnerChannels,
} from '@gatehouse/contracts'
import type { Buckets, KeyedTurns, Logger, Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import * as v from 'valibot'
import type { Inbound, IsBehind, Outcome } from '../channel.ts'
import { type DecisionWord, readWord } from '../commands/command.ts'
import type { Envelope } from '../state/envelope.ts'
import { isEngaged } from './engage.ts'
import { folderOf, type Patience, takeFiles } from './files.ts'

/** The conversation that a message belongs to: one for the place, one a thread, or one a person, as its wiring says. */
const plain = /^[A-Za-z0-9._@-]+$/

/** Readable where all of it can be written, else by its digest; never the same for two. */
export const conversationOf = (
  channel: ChannelName,
  session: Extract<Admission, { admitted: true }>['session'],
  { address, thread, user }: Pick<Inbound, 'address' | 'thread' | 'user'>,
): ConversationID => {
  const parts = [
    address,
    ...(session === 'person' ? ['person', user] : session === 'thread' && thread !== undefined ? ['thread', thread] : []),
  ]
  const readable = [channel, ...parts].join(':')
  const isReadable = readable.length <= 128 && parts.every((part) => plain.test(part))
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return v.parse(ConversationID, isReadable ? readable : `${channel}:${digest.slice(0, 40)}`)
}

export interface Intake {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'admit'>
  readonly runner: Pick<Calls<typeof runnerChannels>, 'receive' | 'fileBegin' | 'filePart' | 'fileEnd' | 'fileDrop'>
  /** Messages by conversation: two machines that talk to one another are slowed here. */
  readonly budget: Buckets
  /** Messages of one place keep their order. */
  readonly turns: KeyedTurns
  readonly patience: Patience
  /** What a person says of a held change goes to the gateway, not to the agent. */
  readonly decide: (channel: ChannelName, said: { message: Inbound; word: DecisionWord }) => Promise<Outcome>
  /** Tells a person how to decide. */
  readonly explain: (channel: ChannelName, message: Inbound) => Outcome
  readonly metrics: Metrics
  readonly log: Logger
}

type Admitted = Extract<Admission, { admitted: true }>

export interface Given {
  readonly message: Inbound
  readonly isBehind?: IsBehind | undefined
}

const cut = '\n[the rest of this message was cut: it is too long]'

/** Bytes count, and no character is broken. */
const within = (text: string, most: number): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  return `${new TextDecoder().decode(bytes.subarray(0, most - cut.length)).replace(/\uFFFD+$/, '')}${cut}`
}

const keep = async (intake: Intake, channel: ChannelName, { message, admission, isBehind }: Given & { admission: Admitted }) => {
  const { agentGroupID, workspaceMiB, session } = admission
  const conversationId = conversationOf(channel, session, message)
  if (isBehind?.(conversationId) === true) return 'busy'
  if (!intake.budget.take(`${agentGroupID} ${conversationId}`).ok) return 'busy'
  const place = { ...intake, agentGroupID, workspaceMiB, folder: folderOf(channel, message.id) }
  const files = await takeFiles(place, message)
  const text = within([...(message.text === '' ? [] : [message.text]), ...files].join('\n'), limits.messageText)
  if (text === '') return 'refused'
  const { address, thread, reference: own } = message
  const reference: Envelope = { address, ...(thread !== undefined && { thread }), own }
  const { id, user: author } = message
  const { known } = await intake.runner.receive({ channel, id, agentGroupID, conversationId, author, text, reference })
  return known ? 'known' : 'taken'
}

const judge = async (intake: Intake, channel: ChannelName, given: Given): Promise<Outcome> => {
  const { message } = given
  if (message.automatic) return 'automatic'
  if (message.unproven === true) return 'unproven'
  const word = readWord(message.ownWords ?? message.text)
  if (word !== undefined) return intake.decide(channel, { message, word })
  const { address, user } = message
  const admission = await intake.gateway.admit({ channel, address, user })
  if (!admission.admitted) return admission.why
  if (message.isUnclear === true) return intake.explain(channel, message)
  return isEngaged(admission, message) ? keep(intake, channel, { ...given, admission }) : 'unengaged'
}

/** Coming again at once would not help. */
const lasting: Readonly<Record<string, Outcome>> = {
  invalid: 'refused',
  'not-found': 'refused',
  forbidden: 'refused',
  'no-sandbox': 'refused',
  'too-large': 'refused',
  'queue-full': 'full',
  // A queue that cannot be read parks its session, and no other: nor may it hold up the channel.
  conflict: 'full',
}

const judgeOrSay = async (intake: Intake, channel: ChannelName, given: Given): Promise<Outcome> => {
  try {
    return await judge(intake, channel, given)
  } catch (error) {
    const outcome = isServiceError(error) ? lasting[error.code] : undefined
    if (outcome === undefined) throw error
    intake.log.warn('a message of a channel was not taken', { channel, outcome, error })
    return outcome
  }
}

/** Rejects where it may pass when the message comes again. Nothing that a person wrote is logged. */
export const takeMessage = (intake: Intake, channel: ChannelName, given: Given): Promise<Outcome> =>
  intake.turns.run(`${channel} ${given.message.address}`, async () => {
    const outcome = await judgeOrSay(intake, channel, given)
    intake.metrics.counter('channel_messages_total').inc({ channel, outcome })
    if (outcome !== 'taken' && outcome !== 'known') intake.log.debug('a message of a channel is not heard', { channel, outcome })
    return outcome
  })
