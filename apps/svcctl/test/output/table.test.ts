// Tables for people and for programs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { age } from '../../src/output/age.ts'
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

test('a narrow terminal gets cut texts and whole ids', () => {
  assert.equal(
    table(columns, rows, { isTTY: true, columns: 23 }),
    'ID    TEXT          AGE\na     short         3m\nbbbb  a text that…  3m\n',
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
