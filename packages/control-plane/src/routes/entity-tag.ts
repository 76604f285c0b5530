// Entity tags (RFC 9110, section 13): what a client saw, named when it asks again or writes over it.
import { Digest, ServiceError } from '@gatehouse/contracts'
import type { Context } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'

const list = /^(?:W\/)?"[\u0021\u0023-\u007e]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\u0021\u0023-\u007e]*")*$/

export const ifMatchHeader = { name: 'If-Match', description: 'The entity tag that the entry must still have, or `*`' } as const
export const ifNoneMatchHeader = { name: 'If-None-Match', description: 'The entity tag that the reader holds' } as const
export const ifNewHeader = { name: 'If-None-Match', description: '`*`: there must be no entry of this name', pattern: '^\\*$' } as const

export const quoteTag = (tag: string): string => `"${tag}"`

/** `*`, or the tags as they are written; undefined without the header. */
const readTags = (c: Context<Env>, name: string): '*' | readonly string[] | undefined => {
  const text = c.req.header(name)?.trim()
  if (text === undefined || text === '*') return text
  if (list.test(text)) return text.match(/(?:W\/)?"[^"]*"/g) ?? []
  throw new ServiceError('malformed', { detail: `expected entity tags in quotes or * in ${name}, got something else` })
}

/** What a reader holds is what there is. */
export const isHeld = (c: Context<Env>, tag: string): boolean => {
  const held = readTags(c, 'If-None-Match')
  return held === '*' || (held?.some((one) => one.replace(/^W\//, '') === quoteTag(tag)) ?? false)
}

const moved = (): ServiceError =>
  new ServiceError('precondition-failed', {
    detail: 'expected the entry that If-Match names, found another one',
    hint: 'read the entry again and use its ETag',
  })

/** The one tag that the gateway is to compare. `readPresent` gives the present one, for lists and `*`. */
const matched = async (tags: '*' | readonly string[], readPresent: () => Promise<Digest | undefined>): Promise<Digest> => {
  const only = typeof tags === 'string' || tags.length !== 1 ? undefined : v.safeParse(Digest, tags[0]?.slice(1, -1))
  if (only?.success === true) return only.output
  const present = await readPresent()
  if (present === undefined || (tags !== '*' && !tags.includes(quoteTag(present)))) throw moved()
  return present
}

/** What a write may ask of what is there: a tag, `null` for nothing at all, undefined for no matter what. */
export const readCondition = async (
  c: Context<Env>,
  readPresent: () => Promise<Digest | undefined>,
): Promise<{ ifMatch?: Digest | null }> => {
  const must = readTags(c, 'If-Match')
  const mustNot = readTags(c, 'If-None-Match')
  if (mustNot !== undefined && (mustNot !== '*' || must !== undefined)) {
    throw new ServiceError('malformed', { detail: 'expected either If-Match or "If-None-Match: *" with a write, got something else' })
  }
  if (mustNot === '*') return { ifMatch: null }
  return must === undefined ? {} : { ifMatch: await matched(must, readPresent) }
}
