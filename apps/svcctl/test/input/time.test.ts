// Times as people type them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTime } from '../../src/input/time.ts'
import { relative } from '../../src/output/values.ts'
import { startUnit } from '../fake-unit.ts'
import { svcctl } from '../svcctl.ts'

const now = Date.parse('2026-01-10T12:00:00.000Z')
const past = { flag: '--since', direction: 'past' } as const
const future = { flag: '--expires', direction: 'future' } as const

test('a length counts back from now for --since, and ahead for --expires', () => {
  assert.deepEqual(
    ['30s', '5m', '1h', '2d', '1w'].map((text) => parseTime(text, past, now)),
    [
      '2026-01-10T11:59:30.000Z',
      '2026-01-10T11:55:00.000Z',
      '2026-01-10T11:00:00.000Z',
      '2026-01-08T12:00:00.000Z',
      '2026-01-03T12:00:00.000Z',
    ],
  )
  assert.equal(parseTime('2d', future, now), '2026-01-12T12:00:00.000Z')
})

test('days and dates begin at midnight, UTC; a time of RFC 3339 stays as it is', () => {
  const times: readonly (readonly [string, string])[] = [
    ['now', '2026-01-10T12:00:00.000Z'],
    ['today', '2026-01-10T00:00:00.000Z'],
    ['Yesterday', '2026-01-09T00:00:00.000Z'],
    ['tomorrow', '2026-01-11T00:00:00.000Z'],
    ['2026-11-01', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01 09:30', '2026-11-01T09:30:00.000Z'],
    ['2026-11-01T09:30:00Z', '2026-11-01T09:30:00Z'],
  ]
  for (const [text, time] of times) assert.equal(parseTime(text, past, now), time, text)
})

test('what is no time is refused, and the refusal names the flag', () => {
  for (const text of ['', 'soon', '1', 'h', '1y', '2026-13-01', '2026-02-30', '-1h', '1e9d'])
    assert.throws(() => parseTime(text, past, now), { message: `--since: ${JSON.stringify(text)} is not a time` }, text)
})

test('a command sends the time that was meant', async () => {
  await using unit = await startUnit()
  const ended = await svcctl(['audit', '--since', '2026-11-01'], { env: { SERVICE_API_URL: unit.address } })
  assert.equal(ended.code, 0)
  assert.match(unit.asked.at(-1)?.path ?? '', /since=2026-11-01T00%3A00%3A00\.000Z/)
  const refused = await svcctl(['audit', '--since', 'soon'], { env: { SERVICE_API_URL: unit.address } })
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /^Error: --since: "soon" is not a time\nTry: --since 1h, 2d, yesterday/)
})

test('people read how long ago a time was, or how long until it comes', () => {
  assert.equal(relative('2026-01-10T11:57:00.000Z', now), '3m ago')
  assert.equal(relative('2026-01-16T13:00:00.000Z', now), 'in 6d')
})
