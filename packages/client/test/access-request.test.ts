// A grant that is added to: what stays of the present one, and whether a change is for that one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GrantView, ServerName } from '@gatehouse/contracts'
import { addToGrant, findPresentGrant, isBasedOn } from '../src/access-request.ts'

const server = 'sample' as ServerName
const present = (parts: Partial<GrantView>): GrantView =>
  ({ server, tools: ['echo'], expired: false, exhausted: false, ...parts }) as GrantView

test('what has ended is not granted again', () => {
  for (const ended of [undefined, present({ expired: true }), present({ exhausted: true })])
    assert.deepEqual(addToGrant(ended, { server, tools: ['add'] }), { server, tools: ['add'] })
})

test('terms that are given take the place of those of the present grant', () => {
  const terms = { maxCalls: 5, expiresAt: '2099-01-01T00:00:00Z' }
  assert.deepEqual(addToGrant(present(terms), { server, tools: ['add', 'echo'], maxCalls: 7 }), {
    server,
    tools: ['echo', 'add'],
    ...terms,
    maxCalls: 7,
  })
})

test('a change that replaces another grant than the one that was read is known', () => {
  assert.equal(isBasedOn({ before: { tools: ['a', 'b'] } }, present({ tools: ['b', 'a'] })), true)
  assert.equal(isBasedOn({ before: { tools: ['a', 'b'] } }, present({ tools: ['a'] })), false)
  assert.equal(isBasedOn({ before: null }, undefined), true)
  assert.equal(isBasedOn({ before: { tools: ['a'] } }, undefined), false)
})

test('every tool stays every tool, whichever side has it', () => {
  assert.deepEqual(addToGrant(present({ tools: [] }), { server, tools: ['add'] }).tools, [])
  assert.deepEqual(addToGrant(present({}), { server, tools: [] }).tools, [])
})

test('the present grant of a server is found without case, and a revoked one is none', () => {
  assert.equal(findPresentGrant([present({ state: 'active' })], 'Sample')?.server, server)
  assert.equal(findPresentGrant([present({ state: 'revoked' })], 'sample'), undefined)
})
