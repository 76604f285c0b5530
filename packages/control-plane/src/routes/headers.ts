// Headers of conditional requests (RFC 9110, section 13), idempotency keys, and durability.
import { Digest, keptHeader, ServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import type { Context } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { type Answer, withHeader } from '../openapi/operation.ts'

const list = /^(?:W\/)?"[\u0021\u0023-\u007e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\u0021\u0023-\u007e]*")*$/

export const ifMatchHeader = { name: 'If-Match', description: 'The entity tag that the entry must still have, or `*`' } as const
export const ifNoneMatchHeader = { name: 'If-None-Match', description: "The entity tag of the reader's copy" } as const
export const ifNewHeader = { name: 'If-None-Match', description: '`*`: no entry with this name may exist', pattern: '^\\*$' } as const

export const quoteTag = (tag: string): string => `"${tag}"`

/** `*` or the quoted tags; undefined without the header. */
const readTags = (c: Context<Env>, name: string): '*' | readonly string[] | undefined => {
  const text = c.req.header(name)?.trim()
  if (text === undefined || text === '*') return text
  if (list.test(text)) return text.match(/(?:W\/)?"[^"]*"/g) ?? []
  throw new ServiceError('malformed', { detail: `${name} must contain quoted entity tags or *` })
}

/** Whether the client has the current version. */
export const isHeld = (c: Context<Env>, tag: string): boolean => {
  const held = readTags(c, 'If-None-Match')
  return held === '*' || (held?.some((one) => one.replace(/^W\//, '') === quoteTag(tag)) ?? false)
}

const moved = (): ServiceError =>
  new ServiceError('precondition-failed', {
    detail: 'the entry has changed: its ETag does not match If-Match',
    hint: 'read the entry again and use its ETag',
  })

/** The tag for the gateway to compare. `readPresent` reads the current one, for lists of tags and `*`. */
const matched = async (tags: '*' | readonly string[], readPresent: () => Promise<Digest | undefined>): Promise<Digest> => {
  const only = typeof tags === 'string' || tags.length !== 1 ? undefined : v.safeParse(Digest, tags[0]?.slice(1, -1))
  if (only?.success === true) return only.output
  const present = await readPresent()
  if (present === undefined || (tags !== '*' && !tags.includes(quoteTag(present)))) throw moved()
  return present
}

/** The precondition of a write: a tag, `null` if the entry must not exist, or undefined. */
export const readCondition = async (
  c: Context<Env>,
  readPresent: () => Promise<Digest | undefined>,
): Promise<{ ifMatch?: Digest | null }> => {
  const must = readTags(c, 'If-Match')
  const mustNot = readTags(c, 'If-None-Match')
  if (mustNot !== undefined && (mustNot !== '*' || must !== undefined)) {
    throw new ServiceError('malformed', { detail: 'a write needs either If-Match or "If-None-Match: *"' })
  }
  if (mustNot === '*') return { ifMatch: null }
  return must === undefined ? {} : { ifMatch: await matched(must, readPresent) }
}

/** The client's key for one attempt: a request with the same key returns the result of the first. */
const form = /^[\u0021-\u007e]{1,255}$/

export const idempotencyHeader = {
  name: 'Idempotency-Key',
  description: 'Identifies this attempt for 24 hours: the same body is not processed twice, a different body is a `conflict`',
  pattern: '^[!-~]{1,255}$',
} as const

export interface Attempt {
  readonly key: string
  readonly body: Digest
}

/** Undefined without the header. Call it after the body was read. */
export const readAttempt = (c: Context<Env>): Attempt | undefined => {
  const key = c.req.header(idempotencyHeader.name)
  if (key === undefined) return undefined
  if (form.test(key)) return { key, body: sha256(c.var.body) }
  throw new ServiceError('malformed', { detail: 'Idempotency-Key must have 1 to 255 visible ASCII characters' })
}

export const markReplay = (c: Context<Env>, replayed: boolean): void => {
  if (replayed) c.header('Idempotent-Replay', 'true')
}

/** Removing permissions takes effect immediately. A response header tells if it is not on disk yet. */
export const maybeNotDurable = (answer: Answer): Answer =>
  withHeader(answer, keptHeader, '`false` if it is in effect but not on disk yet: it ends with the gateway')

/** The result without the durability field. */
export const markDurability = <T extends { readonly kept?: false | undefined }>(
  c: Context<Env>,
  { kept, ...answer }: T,
): Omit<T, 'kept'> => {
  if (kept === false) c.header(keptHeader, 'false')
  return answer
}
