// A list of several pages is read to its end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everyPage } from '../../src/live/every-page.ts'

test('reads a list page by page until there is no cursor', async () => {
  const pages: Readonly<Record<string, { items: number[]; nextCursor?: string }>> = {
    '': { items: [1, 2], nextCursor: 'b' },
    b: { items: [], nextCursor: 'c' },
    c: { items: [3] },
  }
  const asked: (string | undefined)[] = []
  const items = await everyPage(async ({ cursor }) => {
    asked.push(cursor)
    return pages[cursor ?? ''] ?? { items: [] }
  })
  assert.deepEqual(items, [1, 2, 3])
  assert.deepEqual(asked, [undefined, 'b', 'c'])
})
