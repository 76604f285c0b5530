// Sends signed agent messages to the URL of the wiring. A person approved this URL; no incoming message can name another.
import { createHash } from 'node:crypto'
import { checkServerUrl, limits, type OutboundSettings } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'
import { createOutlet, OutboundFailure } from '@gatehouse/outbound'
import { type Outgoing, type OutgoingFile, SendFailure } from '../channel.ts'
import { sign } from './signature.ts'

export interface SendOptions {
  readonly secrets: readonly Buffer[]
  readonly ownAddress: string
  readonly outbound: OutboundSettings
}

const isUrl = (address: string): boolean => /^https?:\/\//i.test(address)

/** The signed request. */
export interface WebhookMessage {
  readonly id: string
  readonly address: string
  readonly body: string
}

const encodeFile = ({ name, bytes }: OutgoingFile) => ({
  name,
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
})

const bodyOf = ({ address, thread, text, format, files, at, part, parts, reference }: Outgoing): string => {
  const content = files.length > 0 ? files.map(encodeFile) : undefined
  const data = { address, thread, text, format, files: content, part, parts, inReplyTo: reference['inReplyTo'] }
  return JSON.stringify({ type: 'message', timestamp: at, data })
}

/** Parses `Retry-After`: seconds or a date. Returns milliseconds. */
const retryAfter = (text: string | null): number | undefined => {
  if (text === null) return undefined
  const milliseconds = /^\d{1,6}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - wallMs()
  return milliseconds > 0 ? Math.min(milliseconds, limits.channelRetryMost * 12) : undefined
}

const checkResponse = (response: Response): void => {
  if (response.ok) return
  if (response.status === 410) throw new SendFailure('never', 'the receiver answered 410 (gone)')
  throw new SendFailure('later', `the receiver answered ${response.status}`, { after: retryAfter(response.headers.get('retry-after')) })
}

const post = async (
  options: SendOptions,
  url: URL,
  { message, signal }: { message: WebhookMessage; signal: AbortSignal },
): Promise<void> => {
  const { ownAddress, outbound: settings } = options
  const outlet = createOutlet({ url, ownAddress, settings, most: limits.channelAnswer, headersTime: limits.channelFilesTime })
  const { id, body } = message
  const timestamp = String(Math.floor(wallMs() / 1000))
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': sign(options.secrets, { id, timestamp, body }),
  }
  try {
    checkResponse(await outlet.fetch(url, { method: 'POST', headers, body, signal }))
  } finally {
    await outlet.close()
  }
}

/** `kept`: the address is not a URL, so there is no receiver. Rejects with `SendFailure`. */
export const postWebhook = async (options: SendOptions, message: WebhookMessage, signal: AbortSignal): Promise<'sent' | 'kept'> => {
  if (!isUrl(message.address)) return 'kept'
  const fault = checkServerUrl(message.address)
  if (fault !== null) throw new SendFailure('never', `its address is not an allowed URL: ${fault}`)
  try {
    await post(options, new URL(message.address), { message, signal })
    return 'sent'
  } catch (cause) {
    if (cause instanceof OutboundFailure && cause.kind === 'address-refused') throw new SendFailure('never', cause.message, { cause })
    if (cause instanceof SendFailure) throw cause
    throw new SendFailure('later', cause instanceof OutboundFailure ? cause.message : 'the receiver is unreachable', { cause })
  }
}

export const sendWebhook = (options: SendOptions, message: Outgoing, signal: AbortSignal): Promise<'sent' | 'kept'> =>
  postWebhook(options, { id: message.id, address: message.address, body: bodyOf(message) }, signal)
