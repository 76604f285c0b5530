import type { Evidence } from '@gatehouse/contracts'

// What exactly is approved: every part counts, the order of members does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonical, digestOf } from '@gatehouse/kernel'
import { fc } from '@gatehouse/testkit/random'
import { digestOfChange } from '../../src/changes/draft.ts'
import { draftOf, makeGrant, makeContext, observed, tool } from '../fixtures/change-context.ts'

type Json = Record<string, unknown>
const Text = fc.string({ unit: 'grapheme' })
const Slice = fc.dictionary(Text, fc.oneof(Text, fc.integer(), fc.boolean(), fc.array(Text)))

const Change = fc.record({
  kind: fc.constantFrom('persona' as const, 'tools' as const),
  agentGroupID: fc.stringMatching(/^[a-z]{1,5}$/),
  before: fc.option(Slice),
  after: Slice,
  evidence: fc.option(fc.constantFrom<Evidence>({ status: 'unavailable' }, { status: 'unavailable', sources: ['/srv/a'] })),
})

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, item]) => [name, reversed(item)] as const)
      .toReversed(),
  )
}

test('two changes have the same digest exactly when they are the same', () => {
  fc.assert(
    fc.property(Change, Change, (left, right) => {
      assert.equal(digestOfChange(left) === digestOfChange(right), canonical(left) === canonical(right))
    }),
  )
})

test('a change in any one part is another digest', () => {
  fc.assert(
    fc.property(Change, Slice, (change, other) => {
      const digest = digestOfChange(change)
      for (const part of ['before', 'after'] as const) {
        const moved = { ...change, [part]: other }
        assert.equal(digestOfChange(moved) === digest, canonical(change[part]) === canonical(other))
      }
      assert.notEqual(digestOfChange({ ...change, agentGroupID: `${change.agentGroupID}x` }), digest)
      assert.notEqual(digestOfChange({ ...change, kind: change.kind === 'tools' ? 'persona' : 'tools' }), digest)
      assert.notEqual(digestOfChange({ ...change, evidence: { status: 'unavailable', sources: ['/srv/b'] } }), digest)
    }),
  )
})

test('the order in which members were written does not count, that of lists does', () => {
  fc.assert(fc.property(Slice, (slice) => assert.equal(digestOf(slice), digestOf(reversed(slice)))))
  assert.notEqual(digestOf({ tools: ['a', 'b'] }), digestOf({ tools: ['b', 'a'] }))
})

test('texts that look alike are other texts', () => {
  const looks = ['a', 'а', 'a\u200b', '\u202ea', 'á', 'a\u0301', 'A', ' a']
  assert.equal(new Set(looks.map((name) => digestOf({ name }))).size, looks.length)
})

test('text without a canonical form has no digest', () => {
  assert.throws(() => digestOf({ name: '\ud800' }))
})

test('a draft has another digest when the slice or the evidence has moved, and the same when nothing has', () => {
  const after: Json = { server: 'sample', tools: ['echo'] }
  const seen = observed('sample', [tool('echo')])
  const digest = draftOf('mcp_access', after, { evidence: seen }).digest
  assert.equal(draftOf('mcp_access', { tools: ['echo'], server: 'sample' }, { evidence: seen }).digest, digest)
  const others = [
    draftOf('mcp_access', after, { context: makeContext({ grants: [makeGrant('sample')] }), evidence: seen }),
    draftOf('mcp_access', after, { evidence: observed('sample', [tool('echo', { description: 'x' })]) }),
    draftOf('mcp_access', after),
    draftOf('mcp_access', { ...after, maxCalls: 1 }, { evidence: seen }),
  ].map((draft) => draft.digest)
  assert.equal(new Set([digest, ...others]).size, 5)
})

test('a secret counts by its value, not by how it was sealed', () => {
  const register = (value: string) => draftOf('mcp_register', { name: 'new', transport: 'stdio', command: 'x', env: { A: value } }).digest
  assert.equal(register('hunter2'), register('hunter2'))
  assert.notEqual(register('hunter2'), register('hunter3'))
  assert.notEqual(register('${A}'), register('hunter2'))
})
