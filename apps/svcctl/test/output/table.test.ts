// Tables for people and for programs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@gatehouse/testkit/random'
import { age } from '../../src/output/values.ts'
import { type Column, table } from '../../src/output/table.ts'

interface Row {
  readonly id: string
  readonly text: string
  readonly at: string
}

const columns: readonly Column<Row>[] = [
  { name: 'ID', value: (row) => row.id },
  { name: 'TEXT', value: (row) => row.text, flexible: true },
  { name: 'AGE', value: () => '3m', plain: (row) => row.at },
]
const rows = [
  { id: 'a', text: 'short', at: 'T1' },
  { id: 'bbbb', text: 'a text that is far too long', at: 'T2' },
]

test('a terminal gets a header and aligned columns', () => {
  assert.equal(
    table(columns, rows, { isTTY: true }),
    'ID    TEXT                         AGE\na     short                        3m\nbbbb  a text that is far too long  3m\n',
  )
})

test('a narrow terminal gets texts that end at a word, and whole ids', () => {
  assert.equal(
    table(columns, rows, { isTTY: true, columns: 23 }),
    'ID    TEXT          AGE\na     short         3m\nbbbb  a text that…  3m\n',
  )
  const screen = table([...columns, { name: 'WORD', value: () => 'unbreakable', flexible: true }], rows, { isTTY: true, columns: 34 })
  assert.equal(screen.match(/unbreakable$/gm)?.length, 2)
})

test('a narrow terminal moves a text below its row, and then leaves out columns by priority', () => {
  const wide: readonly Column<Row>[] = [
    ...columns.slice(0, 1),
    { name: 'KIND', value: () => 'mcp_access', drop: 1 },
    { name: 'WHO', value: () => 'cli:alice', drop: 2 },
    { name: 'TEXT', value: ({ text }) => text, flexible: true, below: true },
  ]
  const heads = (width: number): string[] => (table(wide, rows, { isTTY: true, columns: width }).split('\n')[0] ?? '').split(/ +/)
  assert.deepEqual(heads(80), ['ID', 'KIND', 'WHO', 'TEXT'])
  assert.deepEqual(heads(40), ['ID', 'KIND', 'WHO'])
  assert.deepEqual(heads(20), ['ID', 'KIND'])
  assert.deepEqual(heads(10), ['ID'])
  assert.match(table(wide, rows, { isTTY: true, columns: 30 }), /^bbbb .*\n {2}a text that is far too long$/m)
})

test('no line of a table is wider than the terminal, and no word is cut', () => {
  const texts = fc.array(fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 })
  const several: readonly Column<readonly string[]>[] = [
    { name: 'A', value: ([first = '']) => first },
    { name: 'B', value: (words) => words.join(' '), flexible: true, drop: 1 },
    { name: 'C', value: (words) => words.toReversed().join(' '), flexible: true, below: true },
  ]
  fc.assert(
    fc.property(texts, fc.integer({ min: 24, max: 120 }), (list, width) => {
      const known = new Set(['A', 'B', 'C', ...list.flat()])
      for (const line of table(several, list, { isTTY: true, columns: width }).split('\n')) {
        assert.ok(line.length <= width, line)
        for (const word of line.split(/[ …]+/).filter((each) => each !== '')) assert.ok(known.has(word), word)
      }
    }),
  )
})

test('a pipe gets tabs, no header and what does not depend on the clock', () => {
  assert.equal(table(columns, rows, {}), 'a\tshort\tT1\nbbbb\ta text that is far too long\tT2\n')
})

test('a tab in a cell never makes a column', () => {
  assert.equal(table(columns, [{ id: 'a\tb', text: 'c\nd', at: '' }], {}), 'a\\tb\tc\\nd\t\n')
})

test('nothing is printed for no rows', () => {
  assert.equal(table(columns, [], { isTTY: true }), '')
})

test('an age is one number and one unit', () => {
  const now = Date.parse('2026-01-10T00:00:00.000Z')
  const ages = ['2026-01-09T23:59:18Z', '2026-01-09T23:56:30Z', '2026-01-09T21:59:00Z', '2026-01-04T12:00:00Z', '2026-02-01T00:00:00Z']
  assert.deepEqual(
    ages.map((time) => age(time, now)),
    ['42s', '3m', '2h', '5d', '0s'],
  )
})
