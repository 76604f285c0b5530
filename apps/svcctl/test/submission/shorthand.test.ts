// The wanted state from flags.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandShorthand } from '../../src/submission/shorthand.ts'

const group = 'dev-agent'

test('makes the state of each kind that has sugar', () => {
  assert.deepEqual(expandShorthand('persona', { group, text: 'Be brief.' }), { instructions: 'Be brief.' })
  assert.deepEqual(expandShorthand('mcp_access', { group, server: 'sample', tool: ['echo'] }), { server: 'sample', tools: ['echo'] })
  assert.deepEqual(expandShorthand('mcp_access', { group, server: 'sample', 'all-tools': true }), { server: 'sample', tools: [] })
  assert.deepEqual(expandShorthand('mcp_revoke', { group, server: 'sample' }), { server: 'sample' })
  assert.deepEqual(expandShorthand('packages', { group, npm: ['zod@4.1.12', 'left-pad@1.3.0'] }), { npm: ['zod@4.1.12', 'left-pad@1.3.0'] })
  assert.deepEqual(expandShorthand('agent_create', { group: 'new', agent: 'mock' }), { id: 'new', name: 'new', agent: 'mock' })
})

test('never grants every tool because none was named', () => {
  assert.throws(() => expandShorthand('mcp_access', { group, server: 'sample' }), /--all-tools/)
})

test('says what is missing, and what a kind without sugar needs', () => {
  assert.throws(() => expandShorthand('persona', { group }), /expected --text/)
  assert.throws(() => expandShorthand('mounts', { group }), /--after or --file/)
  assert.throws(() => expandShorthand('packages', { group }), /expected --npm/)
  assert.throws(() => expandShorthand('constructor', { group }), /--after or --file/)
})
