// The audit, newest first. A cursor is the number of the last line shown.
import type { AuditEntry } from '@gatehouse/contracts'
import type { Journal } from '@gatehouse/journal'
import * as v from 'valibot'
import { type Page, readCursor, takePage } from '../input/page.ts'

const Cursor = v.pipe(v.string(), v.regex(/^[1-9]\d{0,14}$/), v.transform(Number))

export const pageAudit = async (journal: Journal, page: Page): Promise<{ items: AuditEntry[]; nextCursor?: string }> => {
  const from = page.cursor === undefined ? undefined : readCursor(Cursor, page.cursor)
  const { items, more } = await takePage(page.limit, (limit, last: AuditEntry | undefined) => {
    const before = last?.seq ?? from
    return journal.page(before === undefined ? { limit } : { limit, before })
  })
  const last = items.at(-1)
  return { items, ...(more && last !== undefined ? { nextCursor: String(last.seq) } : {}) }
}
