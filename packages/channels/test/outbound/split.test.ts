// Long texts in parts: nothing lost, nothing broken, the same cuts each time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@gatehouse/testkit/random'
import { split as splitParts } from '../../src/outbound/parts.ts'

const split = (text: string, most: number): string[] => splitParts(text, most).map((part) => part.text)

test('cuts between paragraphs, else lines, else words, else anywhere', () => {
  assert.deepEqual(split('short', 10), ['short'])
  assert.deepEqual(split('', 10), [''])
  assert.deepEqual(split('one two\n\nthree four', 12), ['one two', 'three four'])
  assert.deepEqual(split('one two\nthree four', 12), ['one two', 'three four'])
  assert.deepEqual(split('one two three', 8), ['one two', 'three'])
  assert.deepEqual(split('x'.repeat(25), 10), ['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)])
  assert.deepEqual(split('a😀😀', 4), ['a😀', '😀'])
})

test('whatever the text: each part fits, is whole Unicode, and nothing but white space is lost', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200 })
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 50 }), (given, most) => {
      const parts = split(given, most)
      assert.ok(parts.length > 0)
      assert.ok(parts.every((part) => part.length <= most && part.isWellFormed()))
      assert.equal(parts.join('').replaceAll(/\s/g, ''), given.replaceAll(/\s/g, ''))
      assert.deepEqual(split(given, most), parts)
      for (const { text: part, at } of splitParts(given, most)) assert.ok(given.startsWith(part, at))
    }),
  )
})
