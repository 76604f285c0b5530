// Pages of a list: `limit` and `cursor`, and the cutting of lists that the gateway gives whole.
import { limits, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'

/** A query carries text. The number stands last, so that the document shows it. */
const digits = v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'expected a whole number'), v.transform(Number), v.number(), v.integer())

export const Sequence = v.pipe(digits, v.minValue(0))
export const PageLimit = v.pipe(
  digits,
  v.minValue(1, 'expected at least 1'),
  v.maxValue(limits.pageSizeMost, `expected at most ${limits.pageSizeMost}`),
)

export const PageQuery = v.strictObject({
  limit: v.optional(PageLimit, String(limits.pageSize)),
  cursor: v.optional(
    v.pipe(v.string(), v.minLength(1, 'expected a cursor of an answer'), v.maxLength(512, 'expected a cursor of an answer')),
  ),
})
export type PageQuery = v.InferOutput<typeof PageQuery>

const encode = (key: string): string => Buffer.from(key).toString('base64url')

const decode = (cursor: string): string => {
  const key = Buffer.from(cursor, 'base64url').toString()
  if (encode(key) === cursor) return key
  throw new ServiceError('invalid', {
    detail: 'expected a cursor of an earlier answer, got something else',
    errors: [{ pointer: '/cursor', detail: 'expected a cursor of an answer' }],
  })
}

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** `keyOf` is unique within the list; the order is that of the keys. */
export const cutPage = <T>(items: readonly T[], page: PageQuery, keyOf: (item: T) => string): { items: T[]; nextCursor?: string } => {
  const after = page.cursor === undefined ? undefined : decode(page.cursor)
  const rest = items.toSorted((a, b) => byText(keyOf(a), keyOf(b))).filter((item) => after === undefined || byText(keyOf(item), after) > 0)
  const cut = rest.slice(0, page.limit)
  const last = cut.at(-1)
  return { items: cut, ...(last !== undefined && rest.length > cut.length && { nextCursor: encode(keyOf(last)) }) }
}
