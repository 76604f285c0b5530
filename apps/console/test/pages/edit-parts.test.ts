// Which changes an edit of an agent group needs: one for each part that differs, and no other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgentGroup } from '@gatehouse/contracts'
import * as v from 'valibot'
import { draftOf, touchedParts } from '../../src/pages/agents/edit-parts.ts'

const group = v.parse(AgentGroup, {
  id: 'support',
  name: 'Help desk',
  agent: 'model',
  persona: 'Be kind.',
  model: { provider: 'anthropic', id: 'large' },
  tools: ['read_file'],
  limits: { callsPerMinute: 30, memoryMiB: 512 },
  createdAt: '2026-01-01T00:00:00.000Z',
  origin: 'seed',
})
const before = draftOf(group)

test('a draft that is not edited needs no change', () => {
  assert.deepEqual(touchedParts(before, { ...before, packages: '\n', limits: { ...before.limits, cpus: NaN } }), [])
})

test('each edited part becomes one change, and of permissions only what differs', () => {
  const mount = { source: '/srv/a', target: '/mnt/a', mode: 'ro' } as const
  const edited = {
    ...before,
    instructions: 'Be brief.',
    enabled: [],
    limits: { callsPerMinute: 12, memoryMiB: 512, cpus: 2 },
    packages: ' left-pad@1.3.0 \n\n',
    mounts: [mount],
  }
  assert.deepEqual(touchedParts(before, edited), [
    { kind: 'persona', after: { instructions: 'Be brief.' } },
    { kind: 'tools', after: { enabled: [] } },
    { kind: 'permissions', after: { limits: { callsPerMinute: 12, cpus: 2 } } },
    { kind: 'packages', after: { npm: ['left-pad@1.3.0'] } },
    { kind: 'mounts', after: { mounts: [mount] } },
  ])
  const model = { provider: 'openai', id: 'small' }
  assert.deepEqual(touchedParts(before, { ...before, model }), [{ kind: 'permissions', after: { model } }])
})
