// Webhook signatures as specified by standardwebhooks.com: HMAC-SHA256 over id, timestamp and body, with each of several secrets.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { webhookFault, type WebhookHeaders } from '@gatehouse/contracts'

export interface Signed extends WebhookHeaders {
  readonly body: string
}

const version = 'v1'

const macOf = (secret: Buffer, { id, timestamp, body }: Omit<Signed, 'signature'>): Buffer =>
  createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest()

/** One signature per secret, so that the receiver needs only one of them. */
export const sign = (secrets: readonly Buffer[], message: Omit<Signed, 'signature'>): string =>
  secrets.map((secret) => `${version},${macOf(secret, message).toString('base64')}`).join(' ')

/** Compares all pairs in constant time. `now`: milliseconds since the epoch. */
export const isGenuine = (secrets: readonly Buffer[], message: Signed, now: number): boolean => {
  const signatures = message.signature
    .split(' ')
    .slice(0, 16)
    .flatMap((text) => (text.startsWith(`${version},`) ? [Buffer.from(text.slice(version.length + 1), 'base64')] : []))
  const macs = secrets.map((secret) => macOf(secret, message))
  const matching = macs.flatMap((mac) => signatures.filter((one) => one.length === mac.length && timingSafeEqual(one, mac)))
  return matching.length > 0 && webhookFault(message, now) === undefined
}
