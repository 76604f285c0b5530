// A grant that is added to: what stays of the present one, and whether a change is for that one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GrantView, ServerName } from '@gatehouse/contracts'
import { addTo, isFor } from '../../src/submission/grant.ts'

const server = 'sample' as ServerName
const present = (parts: Partial<GrantView>): GrantView =>
  ({ server, tools: ['echo'], expired: false, exhausted: false, ...parts }) as GrantView

test('what has ended is not granted again', () => {
  for (const ended of [undefined, present({ expired: true }), present({ exhausted: true })])
    assert.deepEqual(addTo(ended, { server, tools: ['add'] }), { server, tools: ['add'] })
})

test('terms that are given take the place of those of the present grant', () => {
  const terms = { maxCalls: 5, expiresAt: '2099-01-01T00:00:00Z' }
  assert.deepEqual(addTo(present(terms), { server, tools: ['add', 'echo'], maxCalls: 7 }), {
    server,
    tools: ['echo', 'add'],
    ...terms,
    maxCalls: 7,
  })
})

test('a change that replaces another grant than the one that was read is known', () => {
  assert.equal(isFor(present({ tools: ['b', 'a'] }), { before: { tools: ['a', 'b'] } }), true)
  assert.equal(isFor(present({ tools: ['a'] }), { before: { tools: ['a', 'b'] } }), false)
  assert.equal(isFor(undefined, { before: null }), true)
  assert.equal(isFor(undefined, { before: { tools: ['a'] } }), false)
})
