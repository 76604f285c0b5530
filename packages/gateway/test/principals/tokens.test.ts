// Named tokens: made once, shown once, ended for good.
import assert from 'node:assert/strict'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { limits, type NewToken, reservedPrincipals, TokenName } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import * as v from 'valibot'
import { mint } from '../fixtures/crowd.ts'
import { createGroup, fails, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { context, openTestUnit, openUnit } from '../fixtures/unit.ts'

let unit = await openTestUnit()

const list = async () => (await unit.gateway.controlPlane.tokens({ token }, context)).items
const revoke = async (name: string, presented = token) =>
  unit.gateway.controlPlane.revokeToken({ token: presented, name: v.parse(TokenName, name) }, context)
const create = async (wanted: unknown) => unit.gateway.controlPlane.createToken({ token, wanted: wanted as NewToken }, context)

test('a token is 32 random bytes, given once, and only its digest is kept', async () => {
  const made = await create({ name: 'alice', role: 'approver' })
  assert.match(made.token, /^gatehouse_[A-Za-z0-9_-]{43}$/)
  assert.equal(Buffer.from(made.token.slice('gatehouse_'.length), 'base64url').length, 32)
  assert.equal(made.createdBy, 'admin')
  assert.ok(!JSON.stringify(await list()).includes(made.token))
  assert.ok(!JSON.stringify(await list()).includes(sha256(made.token)))
  assert.ok(!(await readFile(join(unit.dir, 'audit.jsonl'), 'utf8')).includes(made.token.slice(12)))
  const line = (await audit(unit)).findLast(({ stage }) => stage === 'token-create')
  assert.deepEqual([line?.principal, line?.detail['digest']], ['admin', sha256(made.token)])
  assert.notEqual((await create({ name: 'alice-2', role: 'approver' })).token, made.token)
})

test('a name is one principal: it is not given twice, also when two ask at once', async () => {
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => create({ name: 'once', role: 'auditor' })))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  const error = await fails(create({ name: 'once', role: 'admin' }))
  assert.equal(error.code, 'conflict')
})

for (const name of [...reservedPrincipals, '', 'Alice', 'a b', 'session:x', 'аlice', 'a\u200Bb', '.x', 'x'.repeat(64)]) {
  test(`refuses a token named ${JSON.stringify(name)}`, async () => {
    const error = await fails(create({ name, role: 'admin' }))
    assert.equal(error.code, 'invalid')
    assert.equal(error.errors?.[0]?.pointer, '/name')
  })
}

test('refuses a token that would be over when it is made', async () => {
  const error = await fails(create({ name: 'late', role: 'admin', expiresAt: '2020-01-01T00:00:00.000Z' }))
  assert.equal(error.errors?.[0]?.pointer, '/expiresAt')
})

test('a revoked token is nobody at once, what is open on it is told, and its name is free again', async () => {
  await createGroup(unit, 'calm')
  const mallory = await mint(unit, { name: 'mallory', role: 'approver' })
  const held = await mallory.submit(['persona', 'calm', { instructions: 'x' }])
  unit.heard.length = 0
  await revoke('mallory')
  assert.deepEqual(unit.heard[0], { by: 'controlPlane', event: 'token-revoked', payload: { token: mallory.token } })
  assert.equal((await fails(mallory.read(held.id))).code, 'unauthorized')
  assert.equal((await fails(revoke('mallory'))).code, 'not-found')
  const again = await mint(unit, { name: 'mallory', role: 'approver' })
  assert.equal((await fails(again.decide(held.id, 'approve'))).code, 'self-approval', 'the same principal, with a new token')
  assert.equal((await fails(mallory.read(held.id))).code, 'unauthorized')
})

test('tokens and their last use outlive the gateway', async () => {
  const kept = await mint(unit, { name: 'kept', role: 'auditor' })
  const gone = await mint(unit, { name: 'gone', role: 'auditor' })
  await unit.gateway.controlPlane.groups({ token: kept.token }, context)
  await revoke('gone')
  const used = (await list()).find(({ name }) => name === 'kept')?.lastUsedAt
  assert.ok(used)
  await unit.close()
  unit = await openUnit({ dir: unit.dir })
  assert.equal((await list()).find(({ name }) => name === 'kept')?.lastUsedAt, used)
  await unit.gateway.controlPlane.groups({ token: kept.token }, context)
  assert.equal((await fails(async () => unit.gateway.controlPlane.groups({ token: gone.token }, context))).code, 'unauthorized')
})

test('a token is revoked while the journal cannot be written, and that is journaled when it can', async () => {
  const thief = await mint(unit, { name: 'thief', role: 'admin' })
  const path = join(unit.dir, 'audit.jsonl')
  await rename(path, `${path}.away`)
  assert.equal((await fails(create({ name: 'unwritten', role: 'auditor' }))).code, 'audit-unwritable')
  await revoke('thief')
  assert.equal((await fails(async () => unit.gateway.controlPlane.groups({ token: thief.token }, context))).code, 'unauthorized')
  assert.ok(!(await list()).some(({ name }) => name === 'thief' || name === 'unwritten'))
  await rename(`${path}.away`, path)
  await create({ name: 'written', role: 'auditor' })
  const line = (await audit(unit)).findLast(({ stage }) => stage === 'token-revoke')
  assert.equal(line?.detail['name'], 'thief')
  assert.ok(line.detail['late'])
  await unit.close()
  unit = await openUnit({ dir: unit.dir })
  assert.equal((await fails(async () => unit.gateway.controlPlane.groups({ token: thief.token }, context))).code, 'unauthorized')
})

test(`there are at most ${limits.tokens} tokens`, async () => {
  const present = (await list()).length
  for (let index = present; index < limits.tokens; index += 1) await create({ name: `n-${index}`, role: 'auditor' })
  assert.equal((await fails(create({ name: 'one-more', role: 'auditor' }))).code, 'conflict')
})
