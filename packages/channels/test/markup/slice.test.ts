// Parts of what an agent wrote: where they are cut does not depend on the markup, and nothing is lost or said twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@gatehouse/testkit/random'
import { split } from '../../src/outbound/parts.ts'
import { assertAllSeen, partsOf, piecesOf, randomText, wordsOf } from '../fixtures/markup.ts'

const seenOf = ({ text, blocks }: ReturnType<typeof partsOf>[number]): string =>
  blocks === undefined
    ? text
    : piecesOf(blocks)
        .map((piece) => piece.text)
        .join('')

test('a block of code that is cut is closed and opened again, without its fences', () => {
  const parts = partsOf('Look:\n\n```js\none()\ntwo()\nthree()\n```\ndone', 20)
  const shown = parts.map(({ blocks = [] }) =>
    blocks.map((block) => (block.kind === 'code' ? block.lines.map(({ text }) => text) : block.kind)),
  )
  assert.deepEqual(shown, [['paragraph', ['one()']], [['two()', 'three()']], ['paragraph']])
})

test('an item that is cut has its mark once, and the numbers go on', () => {
  const [, second] = partsOf('3. one two three\n   four five\n4. six', 20)
  assert.deepEqual(second?.blocks, [
    {
      kind: 'list',
      start: 3,
      items: [
        { at: 0, continued: true, blocks: [{ kind: 'paragraph', pieces: [{ text: 'four five', at: 20 }] }] },
        { at: 30, blocks: [{ kind: 'paragraph', pieces: [{ text: 'six', at: 33 }] }] },
      ],
    },
  ])
})

test('a style goes on behind a cut, and no character is cut through', () => {
  const parts = partsOf('**aaaa bbbb 😀😀😀😀**', 12)
  assert.deepEqual(
    parts.map(({ blocks = [] }) => piecesOf(blocks)),
    [[{ text: 'aaaa bbbb ', at: 2, bold: true }], [{ text: '😀😀😀😀', at: 12, bold: true }]],
  )
})

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'

/** What people see of a part has the words of the part, as if there were no markup. */
const assertSameWords = (text: string, length: number): void => {
  const parts = partsOf(text, length)
  const plain = split(text, length).filter((part) => part.text !== '')
  assert.deepEqual(
    parts.map((part) => part.text),
    plain.map((part) => part.text),
  )
  for (const part of parts) {
    const seen = seenOf(part)
    assert.ok(seen.isWellFormed())
    assertAllSeen(part.text, seen)
  }
}

/** Each was found by chance, and broken once. */
const found: readonly (readonly [string, number])[] = [['w1w](https://a.example/x)😀*~~w2w~~[\\*`~~w3w~~', 15]]

for (const [text, length] of found)
  test(`each word is in its part, also in ${JSON.stringify(text)} cut at ${length}`, () => assertSameWords(text, length))

test('whatever the text: each word is in one part, and in the one that it would be in without markup', () => {
  fc.assert(
    fc.property(randomText, fc.integer({ min: 12, max: 80 }), assertSameWords),
    isFull ? { numRuns: 1_000_000 } : { numRuns: 2_000, seed: 460_697_071 },
  )
})

test('a part that is left out would be noticed', () => {
  const [first, ...others] = partsOf('**w1w** w2w\n\nw3w *w4w*', 14).map(seenOf)
  assert.deepEqual(wordsOf([first, ...others].join(' ')), ['w1w', 'w2w', 'w3w', 'w4w'])
  assert.throws(() => assertAllSeen('**w1w** w2w w3w', others.join(' ')))
})
