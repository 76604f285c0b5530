// Patterns that stand in a wiring although they cost too much: what was approved before there were bounds must not stop all channels.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { isEngaged } from '../../src/inbound/take.ts'

const isHeard = (pattern: string, text: string): boolean => isEngaged({ engage: 'pattern', pattern }, { mentioned: false, text })

test('a pattern that unfolds to more steps than are taken fits nothing, even what it would fit', () => {
  for (const pattern of ['.{0,999}'.repeat(28), '(?:(?:.?){30}){33}', '(?:[ab]?){600}', 'x?{'.repeat(2)])
    assert.ok(!isHeard(pattern, 'ab'), pattern)
})

test('patterns that people write fit as before', () => {
  assert.ok(isHeard(String.raw`(?i)^\s*(?:hey|hi)\s+(?:bot|agent)\b.*(?:deploy|restart)`, 'Hey bot, please restart it'))
  assert.ok(isHeard(String.raw`\b[A-Z]{2,10}-\d{1,6}\b`, 'see OPS-4711'))
  assert.ok(isHeard('.{0,100}!', 'now!'))
})

test('no more of a text is looked at than a pattern may cost', () => {
  assert.ok(isHeard('!$', `${'a'.repeat(limits.channelPattern - 1)}!`))
  assert.ok(!isHeard('!', `${'a'.repeat(limits.channelPattern)}!`))
})
