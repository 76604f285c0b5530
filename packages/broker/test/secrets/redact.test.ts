// What keeps expanded values out of what leaves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRedactor } from '../../src/secrets/redact.ts'

test('replaces values in text, the longest first', () => {
  assert.equal(createRedactor(['secret', 'secret-and-more']).text('a secret-and-more b secret'), 'a •••• b ••••')
})

test('replaces values in strings and numbers of JSON, and leaves its shape alone', () => {
  const redactor = createRedactor(['content', '12345678'])
  assert.deepEqual(redactor.json({ content: [{ type: 'text', text: 'the content' }], n: 12_345_678, b: true, z: null }), {
    content: [{ type: 'text', text: 'the ••••' }],
    n: '••••',
    b: true,
    z: null,
  })
})

test('replaces values in names that a server chose', () => {
  const value = { structuredContent: { ['a-secret-value']: 1, nested: [{ ['x-a-secret-value']: true }] } }
  assert.deepEqual(createRedactor(['a-secret-value']).json(value), { structuredContent: { '••••': 1, nested: [{ 'x-••••': true }] } })
})

test('finds a value that JSON has escaped, also in JSON within JSON', () => {
  const value = 'a"b\\c\nd-e'
  const redactor = createRedactor([value])
  assert.deepEqual(redactor.json({ a: value, b: JSON.stringify({ a: value }) }), { a: '••••', b: '{"a":"••••"}' })
})

test('gives back the same value when there is nothing to replace', () => {
  const value = { a: 1 }
  assert.equal(createRedactor(['something']).json(value), value)
  assert.equal(createRedactor([]).json(value), value)
})

test('leaves short values alone, which would spoil ordinary words', () => {
  assert.equal(createRedactor(['a', 'true', '']).text('a true story'), 'a true story')
})

const value = 'p@ss "word"/+ü & more'
const written: Readonly<Record<string, string>> = {
  'JSON in JSON in JSON': JSON.stringify(JSON.stringify(value)),
  'a URL': `https://example.com/?key=${encodeURIComponent(value)}&x=1`,
  'a form': `key=${encodeURIComponent(value).replaceAll('%20', '+')}`,
  'a Basic header': `Basic ${Buffer.from(`user:${value}`).toString('base64')}`,
  'a longer one': `Basic ${Buffer.from(`users:${value}:x`).toString('base64')}`,
  'the longest one': `Basic ${Buffer.from(`user12:${value}`).toString('base64')}`,
  base64url: Buffer.from(value).toString('base64url'),
  'a dump': Buffer.from(value).toString('hex'),
  'a dump in capitals': Buffer.from(value).toString('hex').toUpperCase(),
}

for (const [what, text] of Object.entries(written))
  test(`replaces a value that is written as in ${what}, and little else`, () => {
    const redactor = createRedactor([value])
    for (const clean of [
      redactor.text(text),
      redactor.json({ text }).text,
      String(Object.keys(redactor.json({ a: { [text]: 1 } }).a)[0]),
    ]) {
      assert.match(clean, /••••/)
      assert.ok(clean.length < text.length - value.length + 10, clean)
    }
  })
