// Checks of webhook headers before the body is read. They refuse most invalid webhooks but do not authenticate any.
import { limits } from './limits.ts'

export interface WebhookHeaders {
  readonly id: string
  /** Seconds since the epoch, in decimal. */
  readonly timestamp: string
  readonly signature: string
}

/** `malformed`: the headers cannot be valid with any secret. `untimely`: the timestamp differs too much from now. */
export type WebhookFault = 'malformed' | 'untimely'

/** Without dots, because a dot separates it from the time in the signed text. */
const idForm = /^[\x21-\x2d\x2f-\x7e]{1,256}$/
const timeForm = /^\d{1,12}$/
/** Signatures separated by spaces. Those of other versions are ignored. */
const signatureForm = /(?:^| )v1,[A-Za-z0-9+/_-]{43}=?(?= |$)/

/** `now`: milliseconds. */
export const webhookFault = ({ id, timestamp, signature }: WebhookHeaders, now: number): WebhookFault | undefined => {
  if (!idForm.test(id) || !timeForm.test(timestamp) || !signatureForm.test(signature)) return 'malformed'
  return Math.abs(now / 1000 - Number(timestamp)) > limits.webhookSkew ? 'untimely' : undefined
}

/** Reasons to refuse a webhook that is not authenticated, in the order of the checks. */
export const webhookRefusals = ['absent', 'malformed', 'untimely', 'too-fast', 'too-many', 'too-large', 'forged'] as const
export type WebhookRefusal = (typeof webhookRefusals)[number]
