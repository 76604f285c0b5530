// Text of others never moves the cursor, hides or turns round.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJson, visible, visibleLines } from '../../src/output/values.ts'
import { hostile, hostileShown } from '../contents.ts'

test('shows escapes, control characters, marks of direction and what takes no room', () => {
  assert.equal(visible(hostile), hostileShown)
  assert.equal(
    visible('\u0000\u007f\u0085\u2028\u2066\ufeff\u00ad\u3164\u2800\u{e0041}'),
    '\\u{0}\\u{7f}\\u{85}\\u{2028}\\u{2066}\\u{feff}\\u{ad}\\u{3164}\\u{2800}\\u{e0041}',
  )
})

test('leaves writing of every people alone', () => {
  const text = 'naïve 你好 مرحبا שלום हिन्दी 😀 tab-less'
  assert.equal(visible(text), text)
})

test('keeps line ends and tabs in texts of several lines, and shows a lone carriage return', () => {
  assert.equal(visibleLines('one\ntwo\tthree\r\nfour\rfive'), 'one\ntwo\tthree\nfour\\u{d}five')
})

test('JSON escapes what is hidden, and every parser reads the same text', () => {
  const json = toJson({ text: hostile, tag: '\u{e0041}' })
  assert.doesNotMatch(json, /[\p{Cf}\u007f-\u009f]/u)
  assert.deepEqual(JSON.parse(json), { text: hostile, tag: '\u{e0041}' })
})
