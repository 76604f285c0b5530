// Signatures of webhooks as standardwebhooks.com has them: HMAC-SHA256 over id, time and body, by each of several secrets.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { webhookFault, type WebhookHeaders } from '@gatehouse/contracts'

export interface Signed extends WebhookHeaders {
  readonly body: string
}

const version = 'v1'

const macOf = (secret: Buffer, { id, timestamp, body }: Omit<Signed, 'signature'>): Buffer =>
  createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest()

/** One signature by each secret, so that who receives it may know but one of them. */
export const sign = (secrets: readonly Buffer[], message: Omit<Signed, 'signature'>): string =>
  secrets.map((secret) => `${version},${macOf(secret, message).toString('base64')}`).join(' ')

/** Looks at every pair, so that its time says nothing. `now`: milliseconds. */
export const isGenuine = (secrets: readonly Buffer[], message: Signed, now: number): boolean => {
  const given = message.signature
    .split(' ')
    .slice(0, 16)
    .flatMap((text) => (text.startsWith(`${version},`) ? [Buffer.from(text.slice(version.length + 1), 'base64')] : []))
  const macs = secrets.map((secret) => macOf(secret, message))
  const fitting = macs.flatMap((mac) => given.filter((one) => one.length === mac.length && timingSafeEqual(one, mac)))
  return fitting.length > 0 && webhookFault(message, now) === undefined
}
