// Delivers one message of an agent to its channel, part by part. A part that was recorded as sent is not sent again.
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
import { type LanesOptions, retryUntilStored } from '../workers/keyed-workers.ts'
import { type CarriedFile, type Part, partsOf } from './parts.ts'
import type { Attempts, Senders } from './senders.ts'

/** Takes the copies of the files of one part from the runner, piece by piece, whole or not at all. */
export interface Shelf {
  readonly runner: Pick<Calls<typeof runnerChannels>, 'sentFile'>
  readonly signal: AbortSignal
}

/** What is not there will not come. */
const fetchPiece = async ({ runner }: Shelf, wanted: Params<typeof runnerChannels, 'sentFile'>): Promise<Buffer> => {
  try {
    return Buffer.from((await runner.sentFile(wanted)).data, 'base64')
  } catch (error) {
    if (isServiceError(error) && error.code === 'not-found') throw new SendFailure('never', 'the copy of a file of it is not there')
    throw error
  }
}

const fetchOne = async (shelf: Shelf, { session, seq }: Delivery, { number, size }: CarriedFile): Promise<Buffer> => {
  const pieces: Buffer[] = []
  for (let bytes = 0, part = 0; bytes < size; part += 1) {
    shelf.signal.throwIfAborted()
    const piece = await fetchPiece(shelf, { session, seq, file: number, part })
    bytes += piece.length
    if (piece.length === 0 || bytes > size) throw new TypeError(`expected a copy of ${size} bytes, got another`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const fetchFiles = async (shelf: Shelf, delivery: Delivery, files: readonly CarriedFile[]): Promise<OutgoingFile[]> => {
  const fetched: OutgoingFile[] = []
  for (const file of files) fetched.push({ name: file.name, bytes: await fetchOne(shelf, delivery, file) })
  return fetched
}

export interface Courier extends LanesOptions {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'maySpeak'>
  readonly runner: Pick<Calls<typeof runnerChannels>, 'delivered' | 'sentFile'>
  readonly channels: ReadonlyMap<ChannelName, Channel>
  readonly pacer: Pacer
  readonly porters: Senders
  readonly tries: Attempts
  readonly signal: AbortSignal
}

export type Fate =
  | { readonly kind: 'delivered'; readonly outcome: 'ok' | 'kept' }
  | { readonly kind: 'dead'; readonly reason: string }
  /** Not before so many milliseconds. */
  | { readonly kind: 'later'; readonly after?: number | undefined; readonly error?: unknown }
  | { readonly kind: 'frozen' }

/** The same each time this part is sent, and no other part's. */
const partID = ({ session, id }: Delivery, part: number): string =>
  `msg_${createHash('sha256').update(`${session}\n${id}\n${part}`).digest('hex').slice(0, 32)}`

const fateOf = (courier: Courier, delivery: Delivery, error: unknown): Fate => {
  if (!(error instanceof SendFailure)) return { kind: 'later', error }
  if (error.kind === 'never') return { kind: 'dead', reason: error.message }
  if (error.after !== undefined && error.everywhere) courier.pacer.hold(delivery.channel, error.after)
  return { kind: 'later', after: error.after, error }
}

/** Undefined: it may be said there, now. */
const hindrance = async ({ gateway }: Courier, { channel, agentGroupID }: Delivery, address: string): Promise<Fate | undefined> => {
  const { verdict } = await gateway.maySpeak({ channel, address, agentGroupID })
  if (verdict === 'frozen') return { kind: 'frozen' }
  return verdict === 'unwired' ? { kind: 'dead', reason: 'its address leads to this group no more' } : undefined
}

interface Stop {
  readonly channel: Channel
  readonly message: Omit<Outgoing, 'files'>
  readonly files: Part['files']
}

/** The bytes are fetched when the way is free, and forgotten with it. */
const carry = async (courier: Courier, delivery: Delivery, { channel, message, files }: Stop): Promise<'sent' | 'kept'> => {
  const time = files.length === 0 ? limits.channelSendTime : limits.channelFilesTime
  const signal = AbortSignal.any([courier.signal, AbortSignal.timeout(time)])
  return channel.send({ ...message, files: await fetchFiles({ ...courier, signal }, delivery, files) }, signal)
}

/** A message without files waits for nobody; one with files not for ever: its lane is wanted by others. */
const whenFree = ({ porters, signal }: Courier, { files }: Stop, act: () => Promise<Fate>): Promise<Fate> =>
  files.length === 0 ? act() : porters.during(AbortSignal.any([signal, AbortSignal.timeout(limits.channelSendTime)]), act)

const attempt = async (courier: Courier, delivery: Delivery, stop: Stop): Promise<Fate> => {
  const hindered = await hindrance(courier, delivery, stop.message.address)
  if (hindered !== undefined) return hindered
  try {
    const sent = await carry(courier, delivery, stop)
    return { kind: 'delivered', outcome: sent === 'kept' ? 'kept' : 'ok' }
  } catch (error) {
    const fate = fateOf(courier, delivery, error)
    return fate.kind === 'later' && courier.tries.fail(delivery) ? { kind: 'dead', reason: 'it could not be delivered for a day' } : fate
  }
}

/** Nothing is waited for between the gateway's word and the sending. */
const sendPart = async (courier: Courier, delivery: Delivery, stop: Stop): Promise<Fate> => {
  const { pacer, signal } = courier
  const { name, can } = stop.channel
  await pacer.wait(name, can.pace, signal)
  await pacer.wait(`${name} ${stop.message.address}`, can.placePace, signal)
  return whenFree(courier, stop, () => attempt(courier, delivery, stop))
}

/** Asked anew for each part: a long message takes minutes where the service is slow, and a stop must not wait for its end. */
const sendParts = async (
  courier: Courier,
  delivery: Delivery,
  { channel, envelope }: { channel: Channel; envelope: Envelope },
): Promise<Fate> => {
  const { address, thread, own: reference } = envelope
  const { session, seq, at } = delivery
  const parts = partsOf(delivery, channel.can)
  let fate: Fate = { kind: 'delivered', outcome: 'ok' }
  for (const [part, { text, blocks, files }] of parts.entries()) {
    const isLaidOut = blocks !== undefined && blocks.length > 0
    // There may be nothing in it but marks, such as the end of a block of code.
    if (part < delivery.parts || (blocks?.length === 0 && files.length === 0)) continue
    const words = { text, format: 'markdown', ...(isLaidOut && { blocks }) } as const
    const message = { id: partID(delivery, part), address, thread, ...words, at, part, parts: parts.length, reference }
    fate = await sendPart(courier, delivery, { channel, message, files })
    if (fate.kind !== 'delivered') return fate
    if (part + 1 < parts.length) await retryUntilStored(() => courier.runner.delivered({ session, seq, parts: part + 1 }), courier)
  }
  return fate
}

/** Rejects only where the gateway does not answer, or too much is carried at once. */
export const deliver = async (courier: Courier, delivery: Delivery): Promise<Fate> => {
  const envelope = v.safeParse(Envelope, delivery.reference)
  const channel = courier.channels.get(delivery.channel)
  if (!envelope.success || channel === undefined) return { kind: 'dead', reason: 'it is not known where the message goes' }
  return sendParts(courier, delivery, { channel, envelope: envelope.output })
}
