// Changes in pages: what waits, oldest first; what was, newest first. A page ends early rather than outgrow a frame.
import { type Change, ChangeID } from '@gatehouse/contracts'
import type { Rows } from '@gatehouse/store'
import { type Page, readCursor, takePage } from '../input/page.ts'
import { type ChangeRow, toChange } from './read.ts'

export interface ChangePage {
  readonly items: Change[]
  readonly nextCursor?: string
}

const queries = {
  pending: `SELECT record FROM changes WHERE state = 'held' AND id > ? ORDER BY id LIMIT ?`,
  history: `SELECT record FROM changes WHERE state <> 'held' AND id < ? ORDER BY id DESC LIMIT ?`,
} as const

/** Before and behind every change id. */
const ends = { pending: '', history: '~' } as const

export const listChanges = async (rows: Rows, which: keyof typeof queries, page: Page): Promise<ChangePage> => {
  const from = page.cursor === undefined ? ends[which] : readCursor(ChangeID, page.cursor)
  const { items, more } = await takePage(page.limit, async (limit, last: Change | undefined) => {
    const found = await rows.all<ChangeRow>(queries[which], [last?.id ?? from, limit])
    return found.map(toChange)
  })
  const last = items.at(-1)
  return { items, ...(more && last !== undefined ? { nextCursor: last.id } : {}) }
}
