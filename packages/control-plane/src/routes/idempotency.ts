// The client's own name for one attempt: sent again, it answers what the first attempt led to.
import { type Digest, ServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import type { Context } from 'hono'
import type { Env } from '../env.ts'

const form = /^[\u0021-\u007e]{1,255}$/

export const idempotencyHeader = {
  name: 'Idempotency-Key',
  description: 'Names this attempt for 24 hours: with the same body it is not done twice, with another body it is a `conflict`',
  pattern: '^[!-~]{1,255}$',
} as const

export interface Attempt {
  readonly key: string
  readonly body: Digest
}

/** Undefined where none is named. The body has been read. */
export const readAttempt = (c: Context<Env>): Attempt | undefined => {
  const key = c.req.header(idempotencyHeader.name)
  if (key === undefined) return undefined
  if (form.test(key)) return { key, body: sha256(c.var.body) }
  throw new ServiceError('malformed', { detail: 'expected an Idempotency-Key of 1 to 255 visible ASCII characters, got another one' })
}

export const markReplay = (c: Context<Env>, replayed: boolean): void => {
  if (replayed) c.header('Idempotent-Replay', 'true')
}
