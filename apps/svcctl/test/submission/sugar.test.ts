// The wanted state from flags.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromSugar } from '../../src/submission/sugar.ts'

const group = 'dev-agent'

test('makes the state of each kind that has sugar', () => {
  assert.deepEqual(fromSugar('persona', { group, text: 'Be brief.' }), { instructions: 'Be brief.' })
  assert.deepEqual(fromSugar('mcp_access', { group, server: 'sample', tool: ['echo'] }), { server: 'sample', tools: ['echo'] })
  assert.deepEqual(fromSugar('mcp_access', { group, server: 'sample', 'all-tools': true }), { server: 'sample', tools: [] })
  assert.deepEqual(fromSugar('mcp_revoke', { group, server: 'sample' }), { server: 'sample' })
  assert.deepEqual(fromSugar('packages', { group, npm: ['zod@4.1.12', 'left-pad@1.3.0'] }), { npm: ['zod@4.1.12', 'left-pad@1.3.0'] })
  assert.deepEqual(fromSugar('agent_create', { group: 'new', agent: 'mock' }), { id: 'new', name: 'new', agent: 'mock' })
})

test('never grants every tool because none was named', () => {
  assert.throws(() => fromSugar('mcp_access', { group, server: 'sample' }), /--all-tools/)
})

test('says what is missing, and what a kind without sugar needs', () => {
  assert.throws(() => fromSugar('persona', { group }), /expected --text/)
  assert.throws(() => fromSugar('mounts', { group }), /--after or --file/)
  assert.throws(() => fromSugar('packages', { group }), /expected --npm/)
  assert.throws(() => fromSugar('constructor', { group }), /--after or --file/)
})
