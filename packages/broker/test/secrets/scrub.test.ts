// What keeps expanded values out of what leaves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScrub } from '../../src/secrets/scrub.ts'

test('replaces values in text, the longest first', () => {
  assert.equal(createScrub(['secret', 'secret-and-more']).text('a secret-and-more b secret'), 'a •••• b ••••')
})

test('replaces values in strings and numbers of JSON, and leaves its shape alone', () => {
  const scrub = createScrub(['content', '12345678'])
  assert.deepEqual(scrub.json({ content: [{ type: 'text', text: 'the content' }], n: 12_345_678, b: true, z: null }), {
    content: [{ type: 'text', text: 'the ••••' }],
    n: '••••',
    b: true,
    z: null,
  })
})

test('replaces values in names that a server chose', () => {
  const value = { structuredContent: { ['a-secret-value']: 1, nested: [{ ['x-a-secret-value']: true }] } }
  assert.deepEqual(createScrub(['a-secret-value']).json(value), { structuredContent: { '••••': 1, nested: [{ 'x-••••': true }] } })
})

test('finds a value that JSON has escaped, also in JSON within JSON', () => {
  const value = 'a"b\\c\nd-e'
  const scrub = createScrub([value])
  assert.deepEqual(scrub.json({ a: value, b: JSON.stringify({ a: value }) }), { a: '••••', b: '{"a":"••••"}' })
})

test('gives back the same value when there is nothing to replace', () => {
  const value = { a: 1 }
  assert.equal(createScrub(['something']).json(value), value)
  assert.equal(createScrub([]).json(value), value)
})

test('leaves short values alone, which would spoil ordinary words', () => {
  assert.equal(createScrub(['a', 'true', '']).text('a true story'), 'a true story')
})
