// Sentences at a terminal of some width, and in a pipe.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wrap } from '../../src/output/table.ts'

const text = 'none of these walls stands here at all'

test('breaks between words, below where the text began', () => {
  assert.equal(wrap(text, 4, { isTTY: true, columns: 26 }), 'none of these walls\n    stands here at all')
})

test('leaves a word that is longer than a line whole', () => {
  assert.equal(wrap(`a ${'x'.repeat(40)} b`, 0, { isTTY: true, columns: 24 }), `a\n${'x'.repeat(40)}\nb`)
})

test('keeps where a line begins, and one that fits as it is', () => {
  assert.equal(wrap('  a line that is indented', 0, { isTTY: true, columns: 20 }), '  a line that is\nindented')
  assert.equal(wrap('a  b', 0, { isTTY: true, columns: 20 }), 'a  b')
})

test('leaves a pipe and a terminal of no known or hardly any width alone', () => {
  for (const place of [{}, { isTTY: false, columns: 26 }, { isTTY: true, columns: 0 }, { isTTY: true, columns: 12 }])
    assert.equal(wrap(text, 4, place), text)
})
