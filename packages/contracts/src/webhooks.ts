// What the headers of a webhook say before its body is read: enough to refuse most of what is not genuine, and proof of nothing.
import { limits } from './limits.ts'

export interface WebhookHeaders {
  readonly id: string
  /** Seconds since the epoch, in decimal. */
  readonly timestamp: string
  readonly signature: string
}

/** `malformed`: no secret makes such headers. `untimely`: they are of another time than now. */
export type WebhookFault = 'malformed' | 'untimely'

/** It holds no dot, which parts it from the time where it is signed. */
const idForm = /^[\x21-\x2d\x2f-\x7e]{1,256}$/
const timeForm = /^\d{1,12}$/
/** Several, parted by blanks; those of other versions are passed over. */
const signatureForm = /(?:^| )v1,[A-Za-z0-9+/_-]{43}=?(?= |$)/

/** `now`: milliseconds. */
export const webhookFault = ({ id, timestamp, signature }: WebhookHeaders, now: number): WebhookFault | undefined => {
  if (!idForm.test(id) || !timeForm.test(timestamp) || !signatureForm.test(signature)) return 'malformed'
  return Math.abs(now / 1000 - Number(timestamp)) > limits.webhookSkew ? 'untimely' : undefined
}

/** Why a webhook was refused that nobody vouches for, in the order in which it is looked for. */
export const webhookRefusals = ['absent', 'malformed', 'untimely', 'too-fast', 'too-many', 'too-large', 'forged'] as const
export type WebhookRefusal = (typeof webhookRefusals)[number]
