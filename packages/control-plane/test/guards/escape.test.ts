// No answer hides, moves or reorders text, whatever people and agents have written into it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError, visible } from '@gatehouse/contracts'
import { change, changeView } from '../fixtures/values.ts'
import { createTestUnit } from '../fixtures/unit.ts'

const points = Array.from({ length: 0x110000 }, (_, point) => point).filter((point) => point < 0xd800 || point > 0xdfff)
/** Every character that is not shown as itself. */
const hidden = points.map((point) => String.fromCodePoint(point)).filter((character) => visible(character) !== character)
const text = `a${hidden.join('b')}c`

test('there are characters that hide', () => assert.ok(hidden.length > 4_000, String(hidden.length)))

test('an answer holds none of them, and means the same', async () => {
  const { ask } = createTestUnit({ answers: { 'gateway.change': () => ({ ...changeView, reason: text }) } })
  const answer = await ask('GET', `/v1/changes/${change.id}`)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(visible(answer.text), answer.text)
  assert.equal(answer.json()['reason'], text)
  assert.notEqual(visible(JSON.stringify({ reason: text })), JSON.stringify({ reason: text }), 'the same check notices them')
})

test('a problem holds none of them either', async () => {
  const refusal = new ServiceError('change-refused', { detail: `got ${text}` })
  const { ask } = createTestUnit({
    answers: {
      'gateway.change': () => {
        throw refusal
      },
    },
  })
  const answer = await ask('GET', `/v1/changes/${change.id}`)
  assert.equal(answer.headers.get('content-type')?.startsWith('application/problem+json'), true)
  assert.equal(visible(answer.text), answer.text)
  assert.equal(answer.json()['detail'], refusal.detail)
})
