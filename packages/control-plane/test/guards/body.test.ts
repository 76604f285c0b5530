// Bodies: bounded while they are read, JSON and nothing else, never quoted back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { change } from '../fixtures/values.ts'
import { createTestUnit } from '../fixtures/unit.ts'

const submission = { kind: 'persona', agentGroupID: 'dev-agent', after: { instructions: 'x' } }
const padded = (bytes: number): string => {
  const text = JSON.stringify(submission)
  return text + ' '.repeat(bytes - text.length)
}

test('takes a body of 1 MiB and refuses one byte more', async () => {
  const { ask, named } = createTestUnit()
  assert.equal((await ask('POST', '/v1/changes', { body: padded(limits.apiBody) })).status, 202)
  const refused = await ask('POST', '/v1/changes', { body: padded(limits.apiBody + 1) })
  assert.equal(refused.status, 413)
  assert.equal(refused.json().code, 'too-large')
  assert.equal(named('gateway.submit').length, 1)
})

test('refuses a decision of more than 64 KiB', async () => {
  const { ask } = createTestUnit()
  const body = `${JSON.stringify({ outcome: 'approve', decidedBy: 'ann' })}${' '.repeat(limits.decisionBody)}`
  assert.equal((await ask('POST', `/v1/changes/${change.id}/decision`, { body })).status, 413)
})

test('refuses every media type but JSON, and encoded bodies', async () => {
  const { ask, named } = createTestUnit()
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json; charset=utf-16',
    'text/json',
    '',
  ]
  for (const type of types) {
    assert.equal((await ask('POST', '/v1/changes', { body: submission, headers: { 'content-type': type } })).status, 415, type)
  }
  for (const encoding of ['gzip', 'br', 'deflate']) {
    assert.equal((await ask('POST', '/v1/changes', { body: submission, headers: { 'content-encoding': encoding } })).status, 415, encoding)
  }
  assert.deepEqual(named('gateway.submit'), [])
})

test('takes JSON with its charset named', async () => {
  const { ask } = createTestUnit()
  for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
    assert.equal((await ask('POST', '/v1/changes', { body: submission, headers: { 'content-type': type } })).status, 202, type)
  }
})

test('refuses what is not JSON as malformed, without quoting it', async () => {
  const { ask } = createTestUnit()
  for (const body of ['{', '', ' ', 'hunter2', '{"a":hunter2}', '\ufeff{}', "{'a':1}", '[1,]', 'NaN', '{"a":1}{"b":2}']) {
    const answer = await ask('POST', '/v1/changes', { body })
    assert.equal(answer.status, 400, body)
    assert.equal(answer.json().code, 'malformed')
    assert.doesNotMatch(answer.text, /hunter2/)
  }
  assert.equal((await ask('POST', '/v1/changes', { body: new Uint8Array([0x22, 0xff, 0x22]) })).status, 400)
})

test('refuses JSON that nests too deep', async () => {
  const { ask } = createTestUnit()
  const nested = (levels: number): string =>
    `{"kind":"persona","agentGroupID":"dev-agent","after":${'['.repeat(levels)}${']'.repeat(levels)}}`
  assert.equal((await ask('POST', '/v1/changes', { body: nested(limits.jsonDepth - 1) })).status, 202)
  assert.equal((await ask('POST', '/v1/changes', { body: nested(limits.jsonDepth) })).status, 400)
  assert.equal((await ask('POST', '/v1/changes', { body: nested(500_000) })).status, 400)
})

test('refuses structure beyond its bounds with the true reason, and parses nothing of it', async (t) => {
  const { ask, named } = createTestUnit()
  const filled = (unit: string): string => unit.repeat(Math.floor((limits.apiBody - 200) / unit.length))
  const parser = t.mock.method(JSON, 'parse')
  for (const [after, reason] of [
    [filled('['), 'the body is nested deeper than 64 levels'],
    [`[${filled('{},')}1]`, 'the body has more than 20000 values and names'],
    [`{${filled('"a":1,')}"b":1}`, 'the body has more than 20000 values and names'],
    [`{"${'a'.repeat(5_000)}":1}`, 'the body has a name longer than 4096 bytes'],
  ] as const) {
    const answer = await ask('POST', '/v1/changes', { body: `{"kind":"persona","agentGroupID":"dev-agent","after":${after}}` })
    assert.equal(parser.mock.calls.filter(({ arguments: [text] }) => text.length > 4_096).length, 0)
    assert.deepEqual([answer.status, answer.json().code, answer.json().detail], [400, 'malformed', reason])
  }
  assert.deepEqual(named('gateway.submit'), [])
})

test('names the fields that do not fit, and never what they held', async () => {
  const { ask, named } = createTestUnit()
  const entry = { transport: 'stdio', command: 'node', env: { 'NOT A NAME': 'hunter2', TOKEN: 1234567, 'a/b~c': 'x' }, shell: 'hunter2' }
  const answer = await ask('PUT', '/v1/registry/mcp-servers/sample', { body: entry })
  assert.equal(answer.status, 422)
  assert.deepEqual((answer.json().errors as { pointer: string }[]).map(({ pointer }) => pointer).toSorted(), [
    '/env/NOT A NAME',
    '/env/TOKEN',
    '/env/a~1b~0c',
    '/shell',
  ])
  assert.doesNotMatch(answer.text, /hunter2|1234567/)
  assert.deepEqual(named('gateway.putServer'), [])
})

test('lists at most so many fields', async () => {
  const { ask } = createTestUnit()
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x${i}`, 1]))
  const answer = await ask('PUT', '/v1/registry/mcp-servers/sample', { body: { transport: 'stdio', command: 'node', env: many } })
  assert.equal((answer.json().errors as unknown[]).length, limits.fieldErrors)
})

test('takes keys that mean something to JavaScript for plain keys', async () => {
  const { ask } = createTestUnit()
  for (const body of [
    '{"__proto__":{"kind":"persona"},"agentGroupID":"a","after":{}}',
    '{"constructor":1,"kind":"persona","agentGroupID":"a","after":{}}',
  ]) {
    assert.equal((await ask('POST', '/v1/changes', { body })).status, 422)
  }
  assert.equal((Object.prototype as Record<string, unknown>).kind, undefined)
})
