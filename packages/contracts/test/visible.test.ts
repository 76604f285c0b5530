// Untrusted text as a person sees it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visible } from '../src/json.ts'

test('ordinary text of any script stays as it is', () => {
  for (const text of ['plain', 'Grüße, 世界, שלום, नमस्ते', 'a\nb\tc', '👩 🚀', 'x → y']) assert.equal(visible(text), text)
})

for (const [what, character] of [
  ['an escape', '\u001b'],
  ['a carriage return', '\r'],
  ['a bell', '\u0007'],
  ['a right-to-left override', '\u202e'],
  ['an isolate', '\u2066'],
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a line separator', '\u2028'],
  ['a tag character', '\u{e0041}'],
  ['a C1 control', '\u009b'],
] as const) {
  test(`${what} is written out`, () => {
    assert.equal(visible(`a${character}b`), `a\\u{${character.codePointAt(0)?.toString(16)}}b`)
  })
}
