// The one form of a time that people may send: what is accepted must be a moment that every clock compares in the same way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import { McpAccess, NewToken, Time } from '../src/index.ts'

const moments = [
  '2026-11-20T12:53:01Z',
  '2026-11-20T12:53:01.123Z',
  '2024-02-29T23:59:59.999Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
]

const others = [
  ['an offset of hours alone, which no clock reads', '2020-01-01T12:00:00+02'],
  ['an offset', '2020-01-01T12:00:00+02:00'],
  ['no zone', '2020-01-01T12:00:00'],
  ['a day that does not exist', '2026-02-31T00:00:00Z'],
  ['the 29th of February of a common year', '2026-02-29T00:00:00Z'],
  ['a month that does not exist', '2026-13-01T00:00:00Z'],
  ['the hour 24', '2026-01-01T24:00:00Z'],
  ['a leap second', '2016-12-31T23:59:60Z'],
  ['tenths of a second', '2026-01-01T00:00:00.5Z'],
  ['nanoseconds', '2026-01-01T00:00:00.123456789Z'],
  ['a blank in place of T', '2026-01-01 00:00:00Z'],
  ['small letters', '2026-01-01t00:00:00z'],
  ['a day alone', '2026-01-01'],
  ['a line break behind it', '2026-01-01T00:00:00Z\n'],
  ['nothing', ''],
] as const

for (const moment of moments) test(`takes ${moment}`, () => assert.ok(v.is(Time, moment)))

for (const [what, text] of others) {
  test(`refuses ${what} once, with an example`, () => {
    const { issues } = v.safeParse(Time, text)
    assert.equal(issues?.length, 1)
    assert.match(issues[0].message, /^expected a valid UTC time .*2026-01-31T09:30:00Z/)
  })
}

test('names the field that holds such a time', () => {
  const pathsOf = (schema: v.GenericSchema, value: unknown) => v.safeParse(schema, value).issues?.map((issue) => v.getDotPath(issue))
  assert.deepEqual(pathsOf(McpAccess, { server: 'sample', tools: [], expiresAt: '2020-01-01T12:00:00+02' }), ['expiresAt'])
  assert.deepEqual(pathsOf(NewToken, { name: 'ann', role: 'admin', expiresAt: '2026-02-31T00:00:00Z' }), ['expiresAt'])
})
