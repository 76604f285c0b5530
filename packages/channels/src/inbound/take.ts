// Processes incoming messages of all channels: admitted by the gateway, addressed to the agent, within limits, stored on disk.
// Patterns run in a linear-time engine and are bounded in size, so that no pattern can block the other channels.
import { createHash } from 'node:crypto'
import {
  type Admission,
  boundedPattern,
  type ChannelName,
  ConversationID,
  type gatewayChannels,
  isServiceError,
  limits,
  type runnerChannels,
} from '@gatehouse/contracts'
import type { Buckets, KeyedQueue, Logger, Metrics } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { RE2JS } from 're2js'
import * as v from 'valibot'
import type { Inbound, IsBehind, Outcome } from '../channel.ts'
import { type DecisionCommand, parseCommand } from '../commands/command.ts'
import type { Envelope } from '../state/envelope.ts'
import { folderOf, type HoldTimeout, takeFiles } from './files.ts'

const compiled = new Map<string, RE2JS | null>()
const most = 256

const compile = (pattern: string): RE2JS | null => {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= most) compiled.clear()
  const made = boundedPattern(pattern, (text) => RE2JS.compile(text))
  compiled.set(pattern, made)
  return made
}

/** A pattern that the engine cannot compile within its bounds matches nothing. */
const fits = (pattern: string, text: string): boolean => compile(pattern)?.matcher(text.slice(0, limits.channelPattern)).find() ?? false

export const isEngaged = (
  { engage, pattern }: Pick<Extract<Admission, { admitted: true }>, 'engage' | 'pattern'>,
  { mentioned, text }: Pick<Inbound, 'mentioned' | 'text'>,
): boolean => {
  if (engage === 'all') return true
  return engage === 'mention' ? mentioned : pattern !== undefined && fits(pattern, text)
}

const plain = /^[A-Za-z0-9._@-]+$/

/** The conversation of a message: one per address, thread or person, as its wiring says. Readable if possible, else a digest; unique. */
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
  /** Rate limit by conversation. Slows down two programs that answer each other. */
  readonly budget: Buckets
  /** Keeps messages of one address in order. */
  readonly turns: KeyedQueue
  readonly patience: HoldTimeout
  /** Sends a person's decision to the gateway instead of the agent. */
  readonly decide: (channel: ChannelName, said: { message: Inbound; word: DecisionCommand }) => Promise<Outcome>
  /** Tells the person how to decide. */
  readonly explain: (channel: ChannelName, message: Inbound) => Outcome
  readonly metrics: Metrics
  readonly log: Logger
}

type Admitted = Extract<Admission, { admitted: true }>

interface Incoming {
  readonly message: Inbound
  readonly isBehind?: IsBehind | undefined
}

const cut = '\n[message truncated: too long]'

/** Limits the UTF-8 length without splitting a character. */
const truncate = (text: string, most: number): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  return `${new TextDecoder().decode(bytes.subarray(0, most - cut.length)).replace(/\uFFFD+$/, '')}${cut}`
}

const storeMessage = async (intake: Intake, channel: ChannelName, { message, admission, isBehind }: Incoming & { admission: Admitted }) => {
  const { agentGroupID, workspaceMiB, session } = admission
  const conversationId = conversationOf(channel, session, message)
  if (isBehind?.(conversationId) === true) return 'busy'
  if (!intake.budget.take(`${agentGroupID} ${conversationId}`).ok) return 'busy'
  const place = { ...intake, agentGroupID, workspaceMiB, folder: folderOf(channel, message.id) }
  const files = await takeFiles(place, message)
  const text = truncate([...(message.text === '' ? [] : [message.text]), ...files].join('\n'), limits.messageText)
  if (text === '') return 'refused'
  const { address, thread, reference: own } = message
  const reference: Envelope = { address, ...(thread !== undefined && { thread }), own }
  const { id, user: author } = message
  const { known } = await intake.runner.receive({ channel, id, agentGroupID, conversationId, author, text, reference })
  return known ? 'duplicate' : 'accepted'
}

const evaluate = async (intake: Intake, channel: ChannelName, incoming: Incoming): Promise<Outcome> => {
  const { message } = incoming
  if (message.automatic) return 'automatic'
  if (message.unauthenticated === true) return 'unauthenticated'
  const word = parseCommand(message.unquotedText ?? message.text)
  if (word !== undefined) return intake.decide(channel, { message, word })
  const { address, user } = message
  const admission = await intake.gateway.admit({ channel, address, user })
  if (!admission.admitted) return admission.why
  if (message.isMisplaced === true) return intake.explain(channel, message)
  return isEngaged(admission, message) ? storeMessage(intake, channel, { ...incoming, admission }) : 'not_addressed'
}

/** Delivering the message again immediately would not help. */
const finalOutcomes: Readonly<Record<string, Outcome>> = {
  invalid: 'refused',
  'not-found': 'refused',
  forbidden: 'refused',
  'no-sandbox': 'refused',
  'too-large': 'refused',
  'queue-full': 'full',
  // An unreadable queue parks only its own session and must not block the channel.
  conflict: 'full',
}

const evaluateOrRefuse = async (intake: Intake, channel: ChannelName, incoming: Incoming): Promise<Outcome> => {
  try {
    return await evaluate(intake, channel, incoming)
  } catch (error) {
    const outcome = isServiceError(error) ? finalOutcomes[error.code] : undefined
    if (outcome === undefined) throw error
    intake.log.warn('channel message refused', { channel, outcome, error })
    return outcome
  }
}

/** Rejects if delivering the message again may help. Message text is never logged. */
export const takeMessage = (intake: Intake, channel: ChannelName, incoming: Incoming): Promise<Outcome> =>
  intake.turns.run(`${channel} ${incoming.message.address}`, async () => {
    const outcome = await evaluateOrRefuse(intake, channel, incoming)
    intake.metrics.counter('channel_messages_total').inc({ channel, outcome })
    if (outcome !== 'accepted' && outcome !== 'duplicate') intake.log.debug('channel message ignored', { channel, outcome })
    return outcome
  })
