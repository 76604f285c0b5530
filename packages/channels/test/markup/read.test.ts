// What an agent wrote, read as Markdown: nothing is lost, and what would be too much is not read at all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { fc } from '@gatehouse/testkit/random'
import { targetOf, withBareLinks } from '../../src/markup/link.ts'
import { readMarkup } from '../../src/markup/read.ts'
import { assertAllSeen, hostile, isHonest, piecesOf, randomText } from '../fixtures/markup.ts'

const seenOf = (text: string): string =>
  piecesOf(readMarkup(text) ?? [])
    .map((piece) => piece.text)
    .join('')

test('what has no markup is not read, and stays as it was written', () => {
  for (const text of ['', 'hello', 'two\nlines  here\n\n   and a paragraph', 'a * b, 2 < 3 & 4', '<b>', 'a_b_c @ann'])
    assert.equal(readMarkup(text), undefined, text)
})

test('styles, links and lines become pieces, with the places at which they stand', () => {
  const text = 'a **b *c*** `d`\n~~e~~ [f](https://g.example) \\* &lt;'
  const [paragraph] = readMarkup(text) ?? []
  assert.ok(paragraph?.kind === 'paragraph')
  assert.deepEqual(paragraph.pieces, [
    { text: 'a ', at: 0 },
    { text: 'b ', at: 4, bold: true },
    { text: 'c', at: 7, bold: true, italic: true },
    { text: ' ', at: 11 },
    { text: 'd', at: 13, code: true },
    { text: '\n', at: 15 },
    { text: 'e', at: 18, strike: true },
    { text: ' ', at: 21 },
    { text: 'f', at: 23 },
    { text: ' (', at: 24, written: [{ text: '](', at: 24 }] },
    { text: 'https://g.example/', link: 'https://g.example/', at: 26, written: [{ text: 'https://g.example', at: 26 }] },
    { text: ')', at: 43, written: [{ text: ')', at: 43 }] },
    { text: ' ', at: 44 },
    { text: '*', at: 45, written: [{ text: '\\*', at: 45 }] },
    { text: ' ', at: 47 },
    { text: '<', at: 48, written: [{ text: '&lt;', at: 48 }] },
  ])
})

test('an address in a text is a link to itself; what ends the sentence is none of it', () => {
  const cases: [string, string[]][] = [
    ['see https://a.example/b.', ['https://a.example/b']],
    ['(https://a.example)', ['https://a.example']],
    ['https://a.example/x_(y) and HTTP://B.example!', ['https://a.example/x_(y)', 'http://b.example/']],
    ['https:// and https://u:p@a.example and ftp://a.example', []],
  ]
  for (const [text, links] of cases) {
    const pieces = withBareLinks({ text, at: 0 })
    assert.deepEqual(
      pieces.flatMap((piece) => (piece.link === undefined ? [] : [piece.text])),
      links,
    )
  }
})

test('only addresses of the web and of mail can be followed, and no name hides before an @', () => {
  assert.equal(targetOf('HTTPS://Ä.example/ü?q'), 'https://xn--4ca.example/%C3%BC?q')
  assert.equal(targetOf('mailto:ann@x.example'), 'mailto:ann@x.example')
  for (const address of [
    'javascript:1',
    'data:,x',
    'file:///x',
    'slack://x',
    'tg://x',
    'ftp://x',
    '/a',
    '//x',
    '#a',
    '',
    'https://u@x.example',
  ])
    assert.equal(targetOf(address), undefined, address)
  assert.equal(targetOf(`https://x.example/${'a'.repeat(limits.markupLink)}`), undefined)
})

test('hostile texts show what they are made of, and each link where it leads', () => {
  for (const { text, seen } of hostile) {
    const pieces = piecesOf(readMarkup(text) ?? [])
    assert.ok(seenOf(text).toWellFormed().includes(seen), `${text}\n${seenOf(text)}`)
    for (const { link, text: shown } of pieces) assert.ok(link === undefined || isHonest(shown, link), text)
  }
  assert.ok(!isHonest('https://bank.example', 'https://evil.example/'), 'a link that hides where it leads would be seen')
})

test('whatever the text: every word of it is seen once and in its order', () => {
  fc.assert(
    fc.property(randomText, (text) => assertAllSeen(readMarkup(text) === undefined ? '' : text, seenOf(text))),
    { numRuns: 300 },
  )
})

const fill = (unit: string): string => unit.repeat(Math.floor(limits.markupText / unit.length))

test('what is too long, too deep or too much is not read', () => {
  const deep = Array.from({ length: 40 }, (_, level) => `${'  '.repeat(level)}* w`).join('\n')
  const texts = [fill('*a '), fill('`a` '), fill('- a\n\n'), fill('# a\n'), `${'>'.repeat(40)} a`, deep, `**${fill('a ')}**more`]
  for (const text of texts) assert.equal(readMarkup(text), undefined, text.slice(0, 40))
})

test('texts that parsers choke on are read, or not, and end', () => {
  const half = (open: string, close: string): string =>
    fill(open).slice(0, limits.markupText / 2) + fill(close).slice(0, limits.markupText / 2)
  const texts = [
    '*a **a ',
    '[',
    '![',
    '[a](<b',
    '[a](b "',
    '<!-- ',
    '> ',
    '*_',
    '`',
    '\\',
    '&',
    '|',
    '[ (](',
    '~~a ',
    '1. ',
    '\t',
    '\u0000',
  ].map(fill)
  const addresses = [`https://a${','.repeat(24_000)}${']'.repeat(5_000)}`, `https://a/${']'.repeat(20_000)}`]
  for (const text of [...texts, ...addresses, half('![', '](a)'), half('[', '](https://a.example)'), half('*a **a ', 'b** b* ')])
    assert.ok(text.length <= limits.markupText && piecesOf(readMarkup(text) ?? []).length <= limits.markupPieces * 3)
})

test('a table that has a cell more than its head goes out as it was written: nothing of it is left out', () => {
  const table = (row: string): string => `| cmd | what |\n|---|---|\n${row}`
  for (const row of ['| `ps` | lists |', '| `ps \\| grep x` | lists |', 'ps | lists', '| ps |'])
    assert.ok(readMarkup(table(row)) !== undefined, row)
  for (const row of ['| ps | grep x | lists |', 'ps | grep x | lists', '| ps | grep x | lists'])
    assert.equal(readMarkup(table(row)), undefined, row)
  assert.ok(readMarkup('> | a | b |\n> |---|---|\n> | 1 | 2 |') !== undefined)
})

test('a block of code that says more than a language, or nothing, goes out as it was written: nothing of it is left out', () => {
  for (const text of ['```js\na()\n```', '```\na()\n```', '```c++\na()']) assert.ok(readMarkup(text) !== undefined, text)
  for (const text of ['```" onload="x\nx\n```\n\n**x**', '```js and more\na()\n```', '```w1w', '```w1w\n```', '~~~ a "b"\nc\n~~~'])
    assert.equal(readMarkup(text), undefined, text)
})
