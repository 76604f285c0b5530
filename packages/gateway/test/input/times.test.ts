// Times that no clock can compare: what ends at such a time would never end, so that no door takes one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayControlPlane, Time } from '@gatehouse/contracts'
import * as v from 'valibot'
import { mint } from '../fixtures/crowd.ts'
import { createGroup, fails, submit, token } from '../fixtures/people.ts'
import { putServer } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const unit = await openTestUnit()
await createGroup(unit, 'a')
await putServer(unit, 'sample')

/** Time stamps by their look: no number to a clock, a day that does not exist, or none of a year with four digits. */
const strange = [
  '2026-01-01T00:00:00+05',
  '2026-02-31T00:00:00Z',
  '2096-02-28T00:00:00.5-01',
  '9999-12-31T23:59:59-23:59',
  '0000-01-01T00:00:00+23:59',
]

for (const time of strange) {
  test(`nothing ends at ${time}, and nothing is searched from there`, async () => {
    const made = await fails(
      unit.gateway.controlPlane.createToken({ token, wanted: { name: 'x', role: 'admin', expiresAt: time } }, context) as Promise<unknown>,
    )
    assert.deepEqual([made.code, made.errors?.[0]?.pointer], ['invalid', '/expiresAt'])
    const asked = await fails(submit(unit, ['mcp_access', 'a', { server: 'sample', tools: [], expiresAt: time }]))
    assert.deepEqual([asked.code, asked.errors?.[0]?.pointer], ['invalid', '/after/expiresAt'])
    for (const name of ['audit', 'history'] as const) {
      for (const end of ['since', 'until']) {
        assert.ok(!v.is(gatewayControlPlane.calls[name].params, { token, limit: 1, [end]: time }), `${name} ${end}`)
      }
    }
  })
}

test('a time is taken in UTC, to the second or the millisecond', () => {
  for (const time of ['2026-11-20T12:53:01Z', '2026-11-20T12:53:01.123Z', '0000-01-01T00:00:00Z']) assert.ok(v.is(Time, time), time)
  for (const time of ['2026-11-20T12:53:01.123456789Z', '2026-11-20T12:53:01+05:30', '2026-02-31T00:00:00Z'])
    assert.ok(!v.is(Time, time), time)
})

test('who proves itself by a token that ends is told when, so that what is open on it ends with it', async () => {
  const expiresAt = '2096-11-20T00:00:00.000Z'
  const brief = await mint(unit, { name: 'brief', role: 'auditor', expiresAt })
  const principal = await unit.gateway.controlPlane.permit({ token: brief.token, route: 'events' }, context)
  assert.deepEqual(principal, { name: 'brief', role: 'auditor', expiresAt })
})
