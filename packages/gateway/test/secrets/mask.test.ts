// What a person sees of a sealed value is a mask, wherever it stands; what only looks sealed is shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Change, mask } from '@gatehouse/contracts'
import { fc } from '@gatehouse/testkit/random'
import { maskChange, maskDetail, mapSecretValues } from '../../src/secrets.ts'
import { ask, draftOf, makeContext, secrets } from '../fixtures/change-context.ts'

const register = { name: 'new', transport: 'http', url: 'https://tools.example/', headers: { a: 'hunter2', b: '${B}', c: 'Bearer ${C}' } }

const change = (): Pick<Change, 'kind' | 'after' | 'diff' | 'evidence'> => ({
  kind: 'mcp_register',
  after: ask('mcp_register', register).after,
  ...draftOf('mcp_register', register),
})

test('every value is a mask in the change and its diff, but for a bare reference', () => {
  const shown = maskChange(secrets, change())
  const headers = { a: mask, b: '${B}', c: mask }
  assert.deepEqual(shown.after['headers'], headers)
  assert.deepEqual(shown.diff, [{ op: 'replace', path: '', value: { ...register, headers } }])
})

test('neither the value nor its sealed form leaves', () => {
  const text = JSON.stringify(maskChange(secrets, change()))
  assert.ok(!text.includes('hunter2') && !text.includes('sealed:') && !text.includes('Bearer'))
})

test('the evidence says for each value what is sent to whom, without the value', () => {
  const wanted = ask('mcp_register', register).requiredEvidence(makeContext())
  assert.ok(wanted?.from === 'change' && wanted.evidence.status === 'described')
  assert.deepEqual(wanted.evidence.sends, [
    'sends a fixed value as a to tools.example',
    'sends the value of B to tools.example',
    'sends the value of C to tools.example',
  ])
})

test('a text that only looks sealed is shown', () => {
  const persona = { kind: 'persona' as const, after: { instructions: 'sealed:v1:AAAA' }, diff: [] }
  assert.deepEqual(maskChange(secrets, persona), persona)
  const forged = {
    kind: 'mcp_register' as const,
    after: { name: 'x', command: 'sealed:v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' },
    diff: [],
  }
  assert.deepEqual(maskChange(secrets, forged).after, forged.after)
})

test('a value that looks sealed is sealed as any other', () => {
  const sealed = secrets.seal('other')
  const { after } = ask('mcp_register', { name: 'new', transport: 'stdio', command: 'x', env: { A: sealed } })
  const env = after['env']
  assert.ok(typeof env === 'object' && env !== null && 'A' in env && typeof env.A === 'string')
  assert.notEqual(env.A, sealed)
  assert.equal(secrets.unseal(env.A), sealed)
})

test('a line is masked however deep a sealed value stands, and is otherwise the same', () => {
  const sealed = secrets.seal('hunter2')
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const detail = (secret: string) => ({ value, list: [[secret, 'x']], deep: { a: { b: secret } } })
      assert.deepEqual(maskDetail(secrets, detail(sealed)), detail(mask))
    }),
  )
})

test('values go through and come back, and what is no entry stays', () => {
  const sealed = mapSecretValues(register, secrets.seal)
  assert.deepEqual(mapSecretValues(sealed, secrets.unseal), register)
  for (const entry of [{}, { env: null }, { env: 'x' }, { headers: [1] }, { url: 'x' }]) {
    assert.deepEqual(mapSecretValues(entry, secrets.seal), entry)
  }
})
