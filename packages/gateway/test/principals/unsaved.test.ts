// What is noted about people beside their acts: it may be late, and fails no act.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256, silentLogger } from '@gatehouse/kernel'
import { createFailures } from '../../src/auth/authenticate.ts'
import { createTokenUses } from '../../src/state/tokens.ts'
import { mint } from '../fixtures/crowd.ts'
import { fails, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { context, openUnit, removeDirectory } from '../fixtures/unit.ts'
import { databaseGate, guarded, openGated } from '../ledger/gates.ts'

test('uses of tokens that cannot be written are written the next time', async () => {
  const unit = await openUnit()
  for (const name of ['ann', 'bob']) await mint(unit, { name, role: 'auditor' })
  const gate = databaseGate('shut')
  const store = guarded(unit.store, gate)
  const uses = createTokenUses()
  const written = async () => unit.store.read.all('SELECT name, at FROM token_uses ORDER BY name')
  uses.note('ann', '2026-11-20T00:00:00.000Z')
  uses.note('bob', '2026-11-20T00:00:01.000Z')
  await assert.rejects(uses.save(store), { code: 'unavailable' })
  uses.forget('bob')
  uses.note('nobody', '2026-11-20T00:00:02.000Z')
  assert.deepEqual(await written(), [])
  gate.set('open')
  await uses.save(store)
  assert.deepEqual(await written(), [{ name: 'ann', at: '2026-11-20T00:00:00.000Z' }], 'no use of a token that is gone')
  gate.set('shut')
  await uses.save(store)
  assert.equal(gate.refused(), 1, 'nothing new is nothing to write')
  await unit.close()
  await removeDirectory(unit.dir)
})

test('failed authentications that cannot be journaled fail no answer, and who stops counts no more', async () => {
  const unit = await openGated({}, {})
  unit.gates.journal.set('shut')
  const wrong = async () => unit.gateway.controlPlane.groups({ token: sha256('wrong') }, context)
  for (let turn = 0; turn < 3; turn += 1) assert.equal((await fails(wrong)).code, 'unauthorized')
  assert.deepEqual((await unit.gateway.controlPlane.groups({ token }, context)).items, [])
  unit.gates.journal.set('open')
  await unit.gateway.stop()
  assert.equal((await fails(wrong)).code, 'unauthorized')
  const lines = (await audit(unit)).filter(({ stage }) => stage === 'auth-failed')
  assert.ok(lines.length <= 1)
  for (const { detail } of lines) assert.ok(Number(detail['unknown']) <= 3)
  await unit.drop()
  await removeDirectory(unit.dir)
})

test('what was counted is given to the journal once, also after one line that failed', async () => {
  const given: unknown[] = []
  let broken = true
  const failures = createFailures({
    commit: (lines) => {
      given.push(lines[0]?.detail)
      return broken ? Promise.reject(new Error('not now')) : Promise.resolve([])
    },
    log: silentLogger,
  })
  failures.note('unknown')
  failures.note('expired', 'ann')
  failures.note('expired', 'ann')
  broken = false
  await failures.stop()
  failures.note('missing')
  await failures.stop()
  assert.deepEqual(given, [
    { missing: 0, unknown: 1, expired: 0, tokens: [] },
    { missing: 0, unknown: 0, expired: 2, tokens: ['ann'] },
  ])
})
