// Delivers one agent message to its channel, part by part. A part that is recorded as sent is never sent again.
import { createHash } from 'node:crypto'
import {
  type ChannelName,
  type Delivery,
  type gatewayChannels,
  isServiceError,
  limits,
  type Params,
  type runnerChannels,
} from '@gatehouse/contracts'
import type { Calls } from '@gatehouse/rpc'
import * as v from 'valibot'
import { type Channel, type Outgoing, type OutgoingFile, SendFailure } from '../channel.ts'
import { Envelope } from '../state/envelope.ts'
import type { Pacer } from '../state/pacer.ts'
import { type RetryOptions, retryUntilStored } from '../workers/keyed-workers.ts'
import { type CarriedFile, type Part, partsOf } from './parts.ts'
import type { Attempts, Senders } from './senders.ts'

/** Reads the file copies of one part from the runner in chunks. */
export interface FileSource {
  readonly runner: Pick<Calls<typeof runnerChannels>, 'sentFile'>
  readonly signal: AbortSignal
}

/** A missing copy is final. */
const fetchPiece = async ({ runner }: FileSource, wanted: Params<typeof runnerChannels, 'sentFile'>): Promise<Buffer> => {
  try {
    return Buffer.from((await runner.sentFile(wanted)).data, 'base64')
  } catch (error) {
    if (isServiceError(error) && error.code === 'not-found') throw new SendFailure('never', 'the copy of one of its files is missing')
    throw error
  }
}

const fetchOne = async (source: FileSource, { session, seq }: Delivery, { number, size }: CarriedFile): Promise<Buffer> => {
  const pieces: Buffer[] = []
  for (let bytes = 0, part = 0; bytes < size; part += 1) {
    source.signal.throwIfAborted()
    const piece = await fetchPiece(source, { session, seq, file: number, part })
    bytes += piece.length
    if (piece.length === 0 || bytes > size) throw new TypeError(`expected a copy of ${size} bytes, got another`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const fetchFiles = async (source: FileSource, delivery: Delivery, files: readonly CarriedFile[]): Promise<OutgoingFile[]> => {
  const fetched: OutgoingFile[] = []
  for (const file of files) fetched.push({ name: file.name, bytes: await fetchOne(source, delivery, file) })
  return fetched
}

export interface DeliveryContext extends RetryOptions {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'maySpeak'>
  readonly runner: Pick<Calls<typeof runnerChannels>, 'delivered' | 'sentFile'>
  readonly channels: ReadonlyMap<ChannelName, Channel>
  readonly pacer: Pacer
  readonly senders: Senders
  readonly tries: Attempts
  readonly signal: AbortSignal
}

export type DeliveryResult =
  | { readonly kind: 'delivered'; readonly outcome: 'ok' | 'kept' }
  | { readonly kind: 'dead'; readonly reason: string }
  /** `after`: minimum delay in milliseconds. */
  | { readonly kind: 'later'; readonly after?: number | undefined; readonly error?: unknown }
  | { readonly kind: 'frozen' }

/** Unique to this part and stable across attempts. */
const partID = ({ session, id }: Delivery, part: number): string =>
  `msg_${createHash('sha256').update(`${session}\n${id}\n${part}`).digest('hex').slice(0, 32)}`

const toResult = (context: DeliveryContext, delivery: Delivery, error: unknown): DeliveryResult => {
  if (!(error instanceof SendFailure)) return { kind: 'later', error }
  if (error.kind === 'never') return { kind: 'dead', reason: error.message }
  if (error.after !== undefined && error.everywhere) context.pacer.hold(delivery.channel, error.after)
  return { kind: 'later', after: error.after, error }
}

/** Undefined: the message may be sent now. */
const checkRoute = async (
  { gateway }: DeliveryContext,
  { channel, agentGroupID }: Delivery,
  address: string,
): Promise<DeliveryResult | undefined> => {
  const { verdict } = await gateway.maySpeak({ channel, address, agentGroupID })
  if (verdict === 'frozen') return { kind: 'frozen' }
  return verdict === 'not_routed' ? { kind: 'dead', reason: 'its address is no longer routed to this group' } : undefined
}

interface Stop {
  readonly channel: Channel
  readonly message: Omit<Outgoing, 'files'>
  readonly files: Part['files']
}

/** Files are loaded only while a sender slot is held. */
const sendWithFiles = async (context: DeliveryContext, delivery: Delivery, { channel, message, files }: Stop): Promise<'sent' | 'kept'> => {
  const time = files.length === 0 ? limits.channelSendTime : limits.channelFilesTime
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(time)])
  return channel.send({ ...message, files: await fetchFiles({ ...context, signal }, delivery, files) }, signal)
}

/** A message without files needs no slot. One with files waits for a bounded time, because others need its worker. */
const withSenderSlot = (
  { senders, signal }: DeliveryContext,
  { files }: Stop,
  act: () => Promise<DeliveryResult>,
): Promise<DeliveryResult> =>
  files.length === 0 ? act() : senders.during(AbortSignal.any([signal, AbortSignal.timeout(limits.channelSendTime)]), act)

const attempt = async (context: DeliveryContext, delivery: Delivery, stop: Stop): Promise<DeliveryResult> => {
  const blocked = await checkRoute(context, delivery, stop.message.address)
  if (blocked !== undefined) return blocked
  try {
    const sent = await sendWithFiles(context, delivery, stop)
    return { kind: 'delivered', outcome: sent === 'kept' ? 'kept' : 'ok' }
  } catch (error) {
    const result = toResult(context, delivery, error)
    return result.kind === 'later' && context.tries.fail(delivery) ? { kind: 'dead', reason: 'delivery failed for a day' } : result
  }
}

/** Rate limits come first: nothing is awaited between the gateway's permission and sending. */
const sendPart = async (context: DeliveryContext, delivery: Delivery, stop: Stop): Promise<DeliveryResult> => {
  const { pacer, signal } = context
  const { name, can } = stop.channel
  await pacer.wait(name, can.pace, signal)
  await pacer.wait(`${name} ${stop.message.address}`, can.placePace, signal)
  return withSenderSlot(context, stop, () => attempt(context, delivery, stop))
}

/** Permission is checked for each part: a long message can take minutes, and a freeze must not wait for its end. */
const sendParts = async (
  context: DeliveryContext,
  delivery: Delivery,
  { channel, envelope }: { channel: Channel; envelope: Envelope },
): Promise<DeliveryResult> => {
  const { address, thread, own: reference } = envelope
  const { session, seq, at } = delivery
  const parts = partsOf(delivery, channel.can)
  let result: DeliveryResult = { kind: 'delivered', outcome: 'ok' }
  for (const [part, { text, blocks, files }] of parts.entries()) {
    const isLaidOut = blocks !== undefined && blocks.length > 0
    // A part can hold nothing but markup, such as the end of a code block.
    if (part < delivery.parts || (blocks?.length === 0 && files.length === 0)) continue
    const words = { text, format: 'markdown', ...(isLaidOut && { blocks }) } as const
    const message = { id: partID(delivery, part), address, thread, ...words, at, part, parts: parts.length, reference }
    result = await sendPart(context, delivery, { channel, message, files })
    if (result.kind !== 'delivered') return result
    if (part + 1 < parts.length) await retryUntilStored(() => context.runner.delivered({ session, seq, parts: part + 1 }), context)
  }
  return result
}

/** Rejects only if the gateway does not answer or no sender slot becomes free in time. */
export const deliver = async (context: DeliveryContext, delivery: Delivery): Promise<DeliveryResult> => {
  const envelope = v.safeParse(Envelope, delivery.reference)
  const channel = context.channels.get(delivery.channel)
  if (!envelope.success || channel === undefined) return { kind: 'dead', reason: 'the message has no known destination' }
  return sendParts(context, delivery, { channel, envelope: envelope.output })
}
