// Signatures of webhooks as standardwebhooks.com has them: HMAC-SHA256 over id, time and body, by each of several secrets.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { limits } from '@gatehouse/contracts'

export interface Signed {
  readonly id: string
  /** Seconds since the epoch, in decimal. */
  readonly timestamp: string
  readonly signature: string
  readonly body: string
}

const version = 'v1'

const macOf = (secret: Buffer, { id, timestamp, body }: Omit<Signed, 'signature'>): Buffer =>
  createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest()

/** One signature by each secret, so that who receives it may know but one of them. */
export const sign = (secrets: readonly Buffer[], message: Omit<Signed, 'signature'>): string =>
  secrets.map((secret) => `${version},${macOf(secret, message).toString('base64')}`).join(' ')

const idForm = /^[\x21-\x2d\x2f-\x7e]{1,256}$/

/** `now`: milliseconds. An id holds no dot, which parts it from the time. */
const isTimely = ({ id, timestamp }: Signed, now: number): boolean =>
  idForm.test(id) && /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= limits.webhookSkew

/** Looks at every pair, so that its time says nothing. */
export const isGenuine = (secrets: readonly Buffer[], message: Signed, now: number): boolean => {
  const given = message.signature
    .split(' ')
    .slice(0, 16)
    .flatMap((text) => (text.startsWith(`${version},`) ? [Buffer.from(text.slice(version.length + 1), 'base64')] : []))
  const macs = secrets.map((secret) => macOf(secret, message))
  const fitting = macs.flatMap((mac) => given.filter((one) => one.length === mac.length && timingSafeEqual(one, mac)))
  return fitting.length > 0 && isTimely(message, now)
}
