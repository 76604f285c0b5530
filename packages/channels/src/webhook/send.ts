// Sends what an agent said to the url of its wiring, signed. The url is what a person approved; nothing that came in names another.
import { createHash } from 'node:crypto'
import { checkServerUrl, limits, type OutboundSettings } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'
import { createOutlet, OutboundFailure } from '@gatehouse/outbound'
import { type Outgoing, type OutgoingFile, SendFailure } from '../channel.ts'
import { sign } from './signature.ts'

export interface Way {
  readonly secrets: readonly Buffer[]
  readonly ownAddress: string
  readonly outbound: OutboundSettings
}

const isUrl = (address: string): boolean => /^https?:\/\//i.test(address)

/** What is signed and posted. */
export interface Letter {
  readonly id: string
  readonly address: string
  readonly body: string
}

const shownFile = ({ name, bytes }: OutgoingFile) => ({
  name,
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
})

const bodyOf = ({ address, thread, text, format, files: given, at, part, parts, reference }: Outgoing): string => {
  const files = given.length > 0 ? given.map(shownFile) : undefined
  const data = { address, thread, text, format, files, part, parts, inReplyTo: reference['inReplyTo'] }
  return JSON.stringify({ type: 'message', timestamp: at, data })
}

/** Seconds or a date. */
const retryAfter = (text: string | null): number | undefined => {
  if (text === null) return undefined
  const milliseconds = /^\d{1,6}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - wallMs()
  return milliseconds > 0 ? Math.min(milliseconds, limits.channelRetryMost * 12) : undefined
}

const judge = (response: Response): void => {
  if (response.ok) return
  if (response.status === 410) throw new SendFailure('never', 'its receiver answered that it is gone for good (410)')
  throw new SendFailure('later', `its receiver answered ${response.status}`, { after: retryAfter(response.headers.get('retry-after')) })
}

const post = async (way: Way, url: URL, { letter, signal }: { letter: Letter; signal: AbortSignal }): Promise<void> => {
  const { ownAddress, outbound: settings } = way
  const outlet = createOutlet({ url, ownAddress, settings, most: limits.channelAnswer, headersTime: limits.channelFilesTime })
  const { id, body } = letter
  const timestamp = String(Math.floor(wallMs() / 1000))
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': sign(way.secrets, { id, timestamp, body }),
  }
  try {
    judge(await outlet.fetch(url, { method: 'POST', headers, body, signal }))
  } finally {
    await outlet.close()
  }
}

/** `kept`: the address is no url, and nobody listens there. Rejects with `SendFailure`. */
export const postWebhook = async (way: Way, letter: Letter, signal: AbortSignal): Promise<'sent' | 'kept'> => {
  if (!isUrl(letter.address)) return 'kept'
  const fault = checkServerUrl(letter.address)
  if (fault !== null) throw new SendFailure('never', `its address is no url that may be called: ${fault}`)
  try {
    await post(way, new URL(letter.address), { letter, signal })
    return 'sent'
  } catch (cause) {
    if (cause instanceof OutboundFailure && cause.kind === 'address-refused') throw new SendFailure('never', cause.message, { cause })
    if (cause instanceof SendFailure) throw cause
    throw new SendFailure('later', cause instanceof OutboundFailure ? cause.message : 'its receiver was not reached', { cause })
  }
}

export const sendWebhook = (way: Way, message: Outgoing, signal: AbortSignal): Promise<'sent' | 'kept'> =>
  postWebhook(way, { id: message.id, address: message.address, body: bodyOf(message) }, signal)
