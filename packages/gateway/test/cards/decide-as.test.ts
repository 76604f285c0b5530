// Decisions that come by a channel: whose word counts, on what, and that nobody else's does.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ChangeID, NewToken, TokenName } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import * as v from 'valibot'
import { toShortID } from '../../src/channels/cards.ts'
import { mint, type Person } from '../fixtures/crowd.ts'
import { carry, createGroup, decide, fails, read, token } from '../fixtures/people.ts'
import { audit } from '../fixtures/records.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'
import { admitMembers, heard, hold, persona, say, wire } from './channel.ts'

let unit: Unit
let kim: Person

const holder = (name: string, role: 'requester' | 'approver' | 'admin', more: Partial<v.InferInput<typeof NewToken>> = {}) =>
  mint(unit, { name, role, identities: [{ channel: 'webhook', user: name }], ...more })

before(async () => {
  unit = await openUnit()
  await createGroup(unit, 'g')
  await createGroup(unit, 'h')
  await wire(unit, 'g')
  await wire(unit, 'h', '#other')
  kim = await holder('kim', 'approver')
  await holder('lee', 'approver')
  await holder('ann', 'requester')
  await holder('narrow', 'approver', { groups: ['h'] })
  await admitMembers(unit, 'g', ['kim', 'lee', 'ann', 'narrow', 'nobody'])
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

test('a person whom a token names decides, and change, journal and list of tokens say who and by which channel', async () => {
  const id = await hold(unit, persona('g', 'one'))
  const { digest } = await read(unit, id)
  const decided = await say(unit, { user: 'kim', change: id, digest: digest.slice(0, 16) })
  assert.equal(decided.outcome, 'accepted')
  const { state, decisions } = await read(unit, id)
  assert.equal(state, 'applied')
  assert.deepEqual(
    decisions.map(({ principal, by, via, outcome }) => ({ principal, by, via, outcome })),
    [{ principal: 'kim', by: 'webhook:kim', via: { channel: 'webhook', user: 'kim' }, outcome: 'approve' }],
  )
  const line = (await audit(unit)).find(({ stage, changeID }) => stage === 'approve' && changeID === id)
  assert.ok(line)
  assert.deepEqual([line.edge, line.principal, line.by], ['channels', 'kim', 'webhook:kim'])
  assert.deepEqual((line.detail['decision'] as { via: unknown }).via, { channel: 'webhook', user: 'kim' })
  const { items } = await unit.gateway.controlPlane.tokens({ token }, context)
  assert.ok(items.find(({ name }) => name === 'kim')?.lastUsedAt !== undefined)
})

test('a no counts like a yes, and the short id of the card names the change', async () => {
  const id = await hold(unit, persona('g', 'two'))
  const decided = await say(unit, { user: 'kim', change: id, outcome: 'reject' })
  assert.ok(decided.outcome === 'accepted')
  assert.equal(decided.card.state, 'rejected')
  assert.equal(await heard(unit, { user: 'kim', change: decided.card.short, digest: 'f'.repeat(64) }), 'change-already-decided')
  const other = await hold(unit, persona('g', 'two again'))
  const { digest } = await read(unit, other)
  assert.equal(await heard(unit, { user: 'kim', change: toShortID(v.parse(ChangeID, other)), digest }), 'accepted')
  assert.equal((await read(unit, other)).state, 'applied')
})

test('an address of e-mail is the same however it was written when a token, a member and a wiring were asked for', async () => {
  await createGroup(unit, 'mail')
  await mint(unit, { name: 'eve', role: 'approver', identities: [{ channel: 'email', user: 'Eve@Example.ORG' }] })
  await carry(unit, ['permissions', 'mail', { members: [{ channel: 'email', user: 'EVE@example.org' }] }])
  await carry(unit, ['wiring', 'mail', { channel: 'email', address: 'Agents@Example.org', engage: 'all', session: 'thread' }])
  const place = { channel: 'email', address: 'agents@example.org', user: 'eve@example.org' } as const
  assert.equal((await unit.gateway.channels.admit(place, context)).admitted, true)
  const change = await hold(unit, persona('mail', 'one'))
  const { digest } = await read(unit, change)
  assert.equal((await unit.gateway.channels.decideAs({ ...place, change, digest, outcome: 'approve' }, context)).outcome, 'accepted')
  const again = mint(unit, { name: 'eve-again', role: 'approver', identities: [{ channel: 'email', user: 'eVe@example.org' }] })
  assert.equal((await fails(again)).code, 'conflict')
})

test('nobody else decides, and the change stays held', async () => {
  const id = await hold(unit, persona('g', 'three'))
  const { digest } = await read(unit, id)
  const refusals: [string, Parameters<typeof heard>[1], string][] = [
    ['a person outside the group', { user: 'mallory', change: id, digest }, 'ignored'],
    ['an address that leads nowhere', { user: 'kim', change: id, digest, address: '#nowhere' }, 'ignored'],
    ['a member whom no token names', { user: 'nobody', change: id, digest }, 'forbidden'],
    ['a name in other letters', { user: 'Kim', change: id, digest }, 'ignored'],
    ['a token that may only ask', { user: 'ann', change: id, digest }, 'forbidden'],
    ['a token of another group', { user: 'narrow', change: id, digest }, 'not-found'],
    ['the address of another group', { user: 'kim', change: id, digest, address: '#other' }, 'not-found'],
    ['another digest', { user: 'kim', change: id, digest: 'f'.repeat(64) }, 'digest-mismatch'],
    ['too few digits', { user: 'kim', change: id, digest: digest.slice(0, 15) }, 'digest-mismatch'],
    ['a change that is not there', { user: 'kim', change: 'chg_20200101000000.000000000', digest }, 'not-found'],
    ['what is no id', { user: 'kim', change: "' OR 1=1 --", digest }, 'not-found'],
  ]
  for (const [name, word, expected] of refusals) {
    assert.equal(await heard(unit, word), expected, name)
    if (expected !== 'ignored') assert.equal(await heard(unit, { ...word, outcome: 'reject' }), expected, `${name}, rejecting`)
  }
  assert.deepEqual([(await read(unit, id)).state, (await read(unit, id)).decisions], ['held', []])
  // The same door with the right word lets it through.
  assert.equal(await heard(unit, { user: 'kim', change: id, digest }), 'accepted')
})

test('nobody approves what its own token asked for', async () => {
  const { id } = await kim.submit(['persona', 'g', { instructions: 'mine' }])
  assert.equal(await heard(unit, { user: 'kim', change: id }), 'self-approval')
  assert.equal(await heard(unit, { user: 'lee', change: id }), 'accepted')
})

test('nor what the admin asked for whose token created its own', async () => {
  const boss = await holder('boss', 'admin')
  const wanted = v.parse(NewToken, { name: 'phone', role: 'approver', identities: [{ channel: 'webhook', user: 'phone' }] })
  await unit.gateway.controlPlane.createToken({ token: boss.token, wanted }, context)
  await admitMembers(unit, 'g', ['kim', 'lee', 'ann', 'narrow', 'nobody', 'phone'])
  const { id } = await boss.submit(['persona', 'g', { instructions: 'of the boss' }])
  assert.equal(await heard(unit, { user: 'phone', change: id }), 'self-approval')
  assert.equal(await heard(unit, { user: 'lee', change: id }), 'accepted')
})

test('what is of high risk is decided by hand, and a channel can neither approve nor reject it', async () => {
  const high = await hold(unit, ['permissions', 'g', { limits: { memoryMiB: 1024 } }])
  assert.equal((await read(unit, high)).risk, 'high')
  for (const outcome of ['approve', 'reject'] as const) {
    const decided = await say(unit, { user: 'kim', change: high, outcome })
    assert.ok(decided.outcome === 'refused')
    assert.equal(decided.code, 'forbidden')
    assert.match(decided.detail, /high risk.*use the console or svcctl/)
    assert.equal(decided.card?.byHand, true)
  }
  assert.equal((await decide(unit, [high, 'approve'])).state, 'applied')
})

test('a risk that grew since the card was shown counts: it is shown again, and is decided elsewhere', async () => {
  await createGroup(unit, 'open')
  await wire(unit, 'open', '#open')
  await admitMembers(unit, 'open', ['kim'])
  const id = await hold(unit, ['wiring', 'open', { channel: 'slack', address: 'C1', engage: 'all', session: 'shared' }])
  const { risk, digest } = await read(unit, id)
  assert.equal(risk, 'medium')
  await admitMembers(unit, 'open', [])
  const said = await say(unit, { user: 'kim', change: id, digest, address: '#open' })
  assert.ok(said.outcome === 'refused')
  assert.deepEqual([said.code, said.card?.byHand], ['change-stale', true])
  assert.equal(await heard(unit, { user: 'kim', change: id, digest: said.card?.digest ?? '', address: '#open' }), 'forbidden')
  assert.equal((await read(unit, id)).state, 'held')
})

test('a stale approval is refused with the card as it is now, which can be approved', async () => {
  const id = await hold(unit, persona('g', 'late'))
  const { digest } = await read(unit, id)
  await carry(unit, persona('g', 'between'))
  const stale = await say(unit, { user: 'kim', change: id, digest })
  assert.ok(stale.outcome === 'refused')
  assert.equal(stale.code, 'change-stale')
  assert.notEqual(stale.card?.digest, digest)
  assert.equal(await heard(unit, { user: 'kim', change: id, digest }), 'digest-mismatch')
  assert.equal(await heard(unit, { user: 'kim', change: id, digest: stale.card?.digest ?? '' }), 'accepted')
})

test('the same word again is as good as once, and another word after it changes nothing', async () => {
  const id = await hold(unit, persona('g', 'once'))
  const { digest } = await read(unit, id)
  const words = await Promise.all(Array.from({ length: 8 }, () => heard(unit, { user: 'kim', change: id, digest })))
  assert.deepEqual([...new Set(words)], ['accepted'])
  assert.equal(await heard(unit, { user: 'kim', change: id, digest, outcome: 'reject' }), 'change-already-decided')
  assert.equal(await heard(unit, { user: 'lee', change: id, digest }), 'change-already-decided')
  const lines = (await audit(unit)).filter(({ changeID }) => changeID === id).map(({ stage }) => stage)
  assert.deepEqual(lines, ['submit', 'approve', 'apply'])
})

test('under a freeze decisions are made, and applied when it ends', async () => {
  const id = await hold(unit, persona('g', 'cold'))
  await unit.gateway.controlPlane.freeze({ token, reason: 'a test' }, context)
  assert.equal(await heard(unit, { user: 'kim', change: id }), 'accepted')
  assert.equal((await read(unit, id)).state, 'approved')
  await unit.gateway.controlPlane.unfreeze({ token, reason: 'a test' }, context)
})

test('a person whose approval was lost when the change was held again approves it again', async () => {
  let now = Date.UTC(2040, 0, 1)
  const later = await openUnit({ clock: () => now })
  try {
    await createGroup(later, 'g')
    await wire(later, 'g')
    const mintKim = () => mint(later, { name: 'kim', role: 'approver', identities: [{ channel: 'webhook', user: 'kim' }] })
    await mintKim()
    const id = await hold(later, persona('g', 'again'))
    await later.gateway.controlPlane.freeze({ token, reason: 'a test' }, context)
    assert.equal(await heard(later, { user: 'kim', change: id }), 'accepted')
    await later.gateway.controlPlane.revokeToken({ token, name: v.parse(TokenName, 'kim') }, context)
    now += 1_000
    await mintKim()
    await later.gateway.controlPlane.unfreeze({ token, reason: 'a test' }, context)
    await waitFor(async () => (await read(later, id)).state === 'held', { what: 'the change to be held again' })
    assert.equal(await heard(later, { user: 'kim', change: id }), 'accepted')
    assert.deepEqual([(await read(later, id)).state, (await read(later, id)).decisions.length], ['applied', 2])
    assert.equal(await heard(later, { user: 'kim', change: id }), 'accepted')
    await later.close()
  } finally {
    await removeDirectory(later.dir)
  }
})

test('the word of a token that was revoked, or whose time is over, counts no more', async () => {
  const id = await hold(unit, persona('g', 'revoked'))
  await unit.gateway.controlPlane.revokeToken({ token, name: 'lee' }, context)
  assert.equal(await heard(unit, { user: 'lee', change: id }), 'forbidden')
  assert.equal((await read(unit, id)).state, 'held')
})

test('a person is one principal: a second token that names it is refused', async () => {
  const error = await fails(holder('other', 'approver', { identities: [{ channel: 'webhook', user: 'kim' }] }))
  assert.equal(error.code, 'conflict')
  assert.match(error.detail, /kim/)
})

test('with two approvals a channel gives one of them, once', async () => {
  const two = await openUnit({ boot: { approvals: 1 } })
  try {
    await createGroup(two, 'g')
    await wire(two, 'g')
    for (const name of ['kim', 'lee']) await mint(two, { name, role: 'approver', identities: [{ channel: 'webhook', user: name }] })
    await two.gateway.stop()
    await two.drop()
    const strict = await openUnit({ dir: two.dir, boot: { approvals: 2 } })
    const id = await hold(strict, persona('g', 'both'))
    assert.equal(await heard(strict, { user: 'kim', change: id }), 'accepted')
    assert.equal(await heard(strict, { user: 'kim', change: id }), 'accepted')
    assert.deepEqual([(await read(strict, id)).state, (await read(strict, id)).approvals], ['held', { needed: 2, given: 1 }])
    assert.equal(await heard(strict, { user: 'lee', change: id }), 'accepted')
    assert.equal((await read(strict, id)).state, 'applied')
    await strict.close()
  } finally {
    await removeDirectory(two.dir)
  }
})
