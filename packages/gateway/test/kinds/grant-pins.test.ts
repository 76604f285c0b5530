// What a grant keeps of the evidence with which it was approved.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Grant, ServerName, Evidence } from '@gatehouse/contracts'
import { definitionDigest } from '@gatehouse/kernel'
import { ask, entryDigest, makeGrant, makeContext, observed, stamp, tool } from '../fixtures/change-context.ts'

const grantOf = (tools: string[], evidence: Evidence | null, grants: readonly Grant[] = []): Grant => {
  const effect = ask('mcp_access', { server: 'sample', tools }).apply({ context: makeContext({ grants }), evidence }, stamp)
  assert.ok(effect.type === 'grant')
  return effect.grant
}

const echo = tool('echo', { description: 'says it again' })

test('pins are the digests of the definitions that were shown', () => {
  const grant = grantOf(['echo'], observed('sample', [echo]))
  assert.deepEqual(grant.pins, { echo: definitionDigest(echo) })
  assert.equal(grant.pinned, 'approval')
  assert.equal(grant.entryDigest, entryDigest('sample'))
  assert.equal(grant.changeID, stamp.changeID)
})

test('a grant of every tool is pinned to every tool that was shown', () => {
  const pins = grantOf([], observed('sample', [echo, tool('add')])).pins
  assert.deepEqual(Object.keys(pins).toSorted(), ['add', 'echo'])
})

test('of two tools of one name the first is pinned', () => {
  assert.deepEqual(grantOf([], observed('sample', [echo, tool('echo')])).pins, { echo: definitionDigest(echo) })
})

test('evidence by digest pins as well', () => {
  const pins = { echo: definitionDigest(echo) }
  const evidence: Evidence = {
    status: 'too-large',
    server: 'sample' as ServerName,
    entryDigest: entryDigest('sample'),
    at: stamp.at,
    age: 0,
    missing: [],
    names: ['echo'],
    drifted: [],
    definitions: entryDigest('definitions'),
    pins,
  }
  assert.deepEqual(grantOf(['echo'], evidence).pins, pins)
  assert.equal(grantOf(['echo'], evidence).pinned, 'approval')
})

test('without evidence nothing is pinned, and the server is the one that was configured', () => {
  const grant = grantOf(['echo'], { status: 'unavailable', server: 'sample' as ServerName, entryDigest: entryDigest('then') })
  assert.deepEqual([grant.pins, grant.pinned, grant.entryDigest], [{}, 'none', entryDigest('then')])
  assert.equal(grantOf(['echo'], null).entryDigest, entryDigest('sample'))
})

test('a tool that is named twice is granted once', () => {
  assert.deepEqual(grantOf(['echo', 'add', 'echo'], null).tools, ['echo', 'add'])
})

test('a new approval revives a suspended grant, and a revocation can end it', () => {
  const suspended = makeGrant('sample', { tools: ['echo'], state: 'suspended' })
  assert.equal(grantOf(['echo'], null, [suspended]).state, 'active')
  const context = makeContext({ grants: [suspended] })
  const revoke = ask('mcp_revoke', { server: 'sample' })
  assert.equal(revoke.verify({ context, evidence: null }), undefined)
  assert.deepEqual(revoke.slice(context), { server: 'sample', tools: ['echo'], state: 'suspended' })
})

test('a narrowed grant keeps the pins of the tools that stay, and a grant that loses its last tool is revoked', () => {
  const context = makeContext({
    grants: [makeGrant('sample', { tools: ['echo', 'add'], pins: { echo: entryDigest('e'), add: entryDigest('a') } })],
  })
  const narrow = (tools: string[]): Grant => {
    const effect = ask('mcp_revoke', { server: 'sample', tools }).apply({ context, evidence: null }, stamp)
    assert.ok(effect.type === 'grant')
    return effect.grant
  }
  assert.deepEqual(narrow(['add']).pins, { echo: entryDigest('e') })
  assert.equal(narrow(['add']).state, 'active')
  assert.equal(narrow(['add', 'echo']).state, 'revoked')
})
