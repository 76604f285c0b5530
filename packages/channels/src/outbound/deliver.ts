// Brings one message of an agent to its channel, part by part. What was noted as sent is not sent again.
import { createHash } from 'node:crypto'
import { type ChannelName, type Delivery, type gatewayChannels, limits, type runnerChannels } from '@gatehouse/contracts'
import type { Calls } from '@gatehouse/rpc'
import * as v from 'valibot'
import { type Channel, SendFailure } from '../channel.ts'
import { Envelope } from '../inbound/envelope.ts'
import type { Pacer } from './pace.ts'
import { split } from './split.ts'

export interface Courier {
  readonly gateway: Pick<Calls<typeof gatewayChannels>, 'maySpeak'>
  readonly runner: Pick<Calls<typeof runnerChannels>, 'delivered'>
  readonly channels: ReadonlyMap<ChannelName, Channel>
  readonly pacer: Pacer
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

const sendParts = async (courier: Courier, delivery: Delivery, { channel, envelope }: { channel: Channel; envelope: Envelope }) => {
  const { runner, pacer, signal } = courier
  const { address, thread, own: reference } = envelope
  const { name, can } = channel
  const texts = split(delivery.text, can.length)
  let outcome: 'ok' | 'kept' = 'ok'
  for (const [part, text] of texts.entries()) {
    if (part < delivery.parts || text === '') continue
    await pacer.wait(name, can.pace, signal)
    await pacer.wait(`${name} ${address}`, can.placePace, signal)
    const message = { id: partID(delivery, part), address, thread, text, at: delivery.at, part, parts: texts.length, reference }
    const sent = await channel.send(message, AbortSignal.any([signal, AbortSignal.timeout(limits.channelSendTime)]))
    if (sent === 'kept') outcome = 'kept'
    if (part + 1 < texts.length) await runner.delivered({ session: delivery.session, seq: delivery.seq, parts: part + 1 })
  }
  return outcome
}

const fateOf = (courier: Courier, delivery: Delivery, error: unknown): Fate => {
  if (!(error instanceof SendFailure)) return { kind: 'later', error }
  if (error.kind === 'never') return { kind: 'dead', reason: error.message }
  if (error.after !== undefined && error.everywhere) courier.pacer.hold(delivery.channel, error.after)
  return { kind: 'later', after: error.after, error }
}

const isOld = ({ at }: Delivery): boolean => Date.now() - Date.parse(at) > limits.channelGiveUp

/** Rejects only where the gateway or the runner does not answer. */
export const deliver = async (courier: Courier, delivery: Delivery): Promise<Fate> => {
  const envelope = v.safeParse(Envelope, delivery.reference)
  const channel = courier.channels.get(delivery.channel)
  if (!envelope.success || channel === undefined) return { kind: 'dead', reason: 'it is not known where the message goes' }
  const { address } = envelope.output
  const { verdict } = await courier.gateway.maySpeak({ channel: channel.name, address, agentGroupID: delivery.agentGroupID })
  if (verdict === 'frozen') return { kind: 'frozen' }
  if (verdict === 'unwired') return { kind: 'dead', reason: 'its address leads to this group no more' }
  try {
    return { kind: 'delivered', outcome: await sendParts(courier, delivery, { channel, envelope: envelope.output }) }
  } catch (error) {
    const fate = fateOf(courier, delivery, error)
    return fate.kind === 'later' && isOld(delivery) ? { kind: 'dead', reason: 'it could not be delivered for a day' } : fate
  }
}
