// Who proved itself: by the digest of its token and by nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Digest } from '@gatehouse/contracts'
import { createClock, sha256, silentLogger } from '@gatehouse/kernel'
import { createFailures, createPrincipals, type PrincipalsOptions } from '../../src/auth/authenticate.ts'
import { createTokens, createTokenUses } from '../../src/state/tokens.ts'
import { mint } from '../fixtures/crowd.ts'
import { fails, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { context, openUnit, removeDirectory } from '../fixtures/unit.ts'

const make = (adminToken: string | null, more: Partial<PrincipalsOptions> = {}) =>
  createPrincipals({
    adminToken,
    tokens: createTokens(),
    uses: createTokenUses(),
    failures: createFailures({ commit: async () => [], log: silentLogger }),
    clock: createClock(() => 0),
    ...more,
  })

test('an open unit asks nobody and calls everybody dev, but for who presents a token of its own', async () => {
  const open = make(null)
  for (const given of [null, sha256('whatever')]) assert.deepEqual(open.resolve(given, 'putServer'), { name: 'dev', role: 'admin' })
  const unit = await openUnit({ boot: { adminToken: null } })
  const alice = await mint(unit, { name: 'alice', role: 'requester' })
  const change = await alice.submit(['agent_create', 'a', { id: 'a', name: 'a', agent: 'mock' }])
  assert.equal((await alice.read(change.id)).principal, 'alice')
  assert.equal((await fails(alice.decide(change.id, 'approve'))).code, 'forbidden')
  await unit.close()
  await removeDirectory(unit.dir)
})

test('an admin digest that is none is a mistake, never a door', () => {
  for (const digest of ['', 'xyz', 'ab']) assert.throws(() => make(digest), TypeError)
})

test('a missing, a wrong and an expired token answer alike', async () => {
  let now = Date.now()
  const unit = await openUnit({ clock: () => now })
  const brief = await mint(unit, { name: 'brief', role: 'admin', expiresAt: new Date(now + 1000).toISOString() })
  const groups = async (presented: Digest | null) => unit.gateway.controlPlane.groups({ token: presented }, context)
  assert.deepEqual((await groups(brief.token)).items, [])
  now += 1000
  const errors = await Promise.all([null, sha256('x'), brief.token].map((presented) => fails(groups(presented))))
  assert.deepEqual(
    errors.map(({ code, detail, hint, extra }) => ({ code, detail, hint, extra })),
    errors.map(() => ({ code: 'unauthorized', detail: 'A valid bearer token is required', hint: undefined, extra: undefined })),
  )
  now -= 500
  assert.equal((await fails(groups(brief.token))).code, 'unauthorized', 'a clock that steps back revives no token')
  await unit.close()
  await removeDirectory(unit.dir)
})

test('failed authentications are journaled once with what was counted since, and never fail an answer', async () => {
  const unit = await openUnit()
  const wrong = async (presented: Digest | null) => fails(async () => unit.gateway.controlPlane.groups({ token: presented }, context))
  for (let turn = 0; turn < 20; turn += 1) await wrong(sha256(`wrong ${turn}`))
  await wrong(null)
  await unit.gateway.controlPlane.groups({ token }, context)
  await unit.gateway.stop()
  const lines = (await audit(unit)).filter(({ stage }) => stage === 'auth-failed')
  assert.deepEqual(
    lines.map(({ edge, principal, detail }) => ({ edge, principal, detail })),
    [
      { edge: 'control-plane', principal: 'gateway', detail: { missing: 0, unknown: 1, expired: 0, tokens: [] } },
      { edge: 'control-plane', principal: 'gateway', detail: { missing: 1, unknown: 19, expired: 0, tokens: [] } },
    ],
  )
  await unit.drop()
  await removeDirectory(unit.dir)
})
