// Rules about two people count people: a token and the named admin that created it are one, however long the chain.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isServiceError, NewToken } from '@gatehouse/contracts'
import { createClock, sha256 } from '@gatehouse/kernel'
import * as v from 'valibot'
import { missingApprovers } from '../../src/auth/persons.ts'
import { migrations } from '../../src/gateway.ts'
import { createTokens } from '../../src/state/tokens.ts'
import { administrator, mint, person, type Person } from '../fixtures/crowd.ts'
import { createGroup, fails, read } from '../fixtures/people.ts'
import { stages } from '../fixtures/records.ts'
import { putServer } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

/** The step that finds the person behind each token. */
const persons = migrations.find(([first]) => first?.includes('$.createdBy')) ?? []

let unit: Unit
let people: Record<Name, Person>

/** `root` is the unit's admin token. It created eve, adam and bob; eve created eve2, which created eve3. */
const names = ['root', 'eve', 'eve2', 'eve3', 'adam', 'bob'] as const
type Name = (typeof names)[number]
const lineage: Readonly<Record<Name, Name>> = { root: 'root', eve: 'eve', eve2: 'eve', eve3: 'eve', adam: 'adam', bob: 'bob' }

const mintAs = async (maker: Person, wanted: v.InferInput<typeof NewToken>): Promise<Person> => {
  const made = await unit.gateway.controlPlane.createToken({ token: maker.token, wanted: v.parse(NewToken, wanted) }, context)
  return person(unit, sha256(made.token))
}
const reopen = async (approvals: 1 | 2): Promise<void> => {
  await unit.close()
  unit = await openUnit({ dir: unit.dir, boot: { approvals } })
  people = Object.fromEntries(Object.entries(people).map(([name, { token }]) => [name, person(unit, token)])) as Record<Name, Person>
}

before(async () => {
  unit = await openUnit()
  await createGroup(unit, 'g')
  await putServer(unit, 'sample')
  const root = administrator(unit)
  const eve = await mint(unit, { name: 'eve', role: 'admin' })
  const eve2 = await mintAs(eve, { name: 'eve2', role: 'admin' })
  people = {
    root,
    eve,
    eve2,
    eve3: await mintAs(eve2, { name: 'eve3', role: 'approver' }),
    adam: await mint(unit, { name: 'adam', role: 'admin' }),
    bob: await mint(unit, { name: 'bob', role: 'approver' }),
  }
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

let count = 0
const ask = async (by: Person): Promise<string> => (await by.submit(['persona', 'g', { instructions: `text ${(count += 1)}` }])).id
const answer = async (by: Person, id: string): Promise<string> => {
  try {
    return (await by.decide(id, 'approve')).state
  } catch (error) {
    if (isServiceError(error)) return error.code
    throw error
  }
}

for (const requester of names) {
  for (const approver of names) {
    const isOwn = lineage[requester] === lineage[approver]
    const expected = isOwn && requester !== 'root' ? 'self-approval' : 'applied'
    test(`with one approval: what ${requester} requested, ${approver} approves: ${expected}`, async () => {
      const id = await ask(people[requester])
      assert.equal(await answer(people[approver], id), expected)
      assert.equal((await stages(unit, id)).includes('self-approved'), requester === 'root' && approver === 'root')
    })
  }
}

test('a request stays its person’s after its token was revoked', async () => {
  const spare = await mintAs(people.eve, { name: 'spare', role: 'requester' })
  const id = await ask(spare)
  await unit.gateway.controlPlane.revokeToken({ token: people.eve.token, name: 'spare' }, context)
  assert.equal((await read(unit, id)).person, 'eve')
  const error = await fails(people.eve.decide(id, 'approve'))
  assert.equal(error.code, 'self-approval')
  assert.match(error.detail, /spare, a token of eve/)
})

test('a request whose token is revoked while it is examined stays its person’s', async () => {
  const quick = await mintAs(people.eve, { name: 'quick', role: 'requester' })
  const pending = ask(quick)
  await unit.gateway.controlPlane.revokeToken({ token: people.eve.token, name: 'quick' }, context)
  const id = await pending
  assert.equal((await read(unit, id)).person, 'eve')
  assert.equal(await answer(people.eve, id), 'self-approval')
})

test('a token that is revoked while its request for another one waits creates none', async () => {
  const hasty = await mintAs(people.eve, { name: 'hasty', role: 'admin' })
  const first = mintAs(people.eve, { name: 'first', role: 'requester' })
  const late = fails(mintAs(hasty, { name: 'late', role: 'approver' }))
  await unit.gateway.controlPlane.revokeToken({ token: people.eve.token, name: 'hasty' }, context)
  await first
  assert.equal((await late).code, 'unauthorized')
})

test('a token stays its person’s after the token that created it was revoked', async () => {
  const maker = await mintAs(people.eve, { name: 'maker', role: 'admin' })
  const made = await mintAs(maker, { name: 'made', role: 'approver' })
  await unit.gateway.controlPlane.revokeToken({ token: people.eve.token, name: 'maker' }, context)
  assert.equal(await answer(made, await ask(people.eve)), 'self-approval')
  assert.equal(await answer(made, await ask(people.bob)), 'applied')
})

test('who only takes power away may approve it as its own person too, and the journal says so', async () => {
  const grant = await people.root.submit(['mcp_access', 'g', { server: 'sample', tools: ['echo'] }])
  await people.bob.decide(grant.id, 'approve')
  const { id } = await people.eve2.submit(['mcp_revoke', 'g', { server: 'sample' }])
  assert.equal(await answer(people.eve3, id), 'applied')
  assert.ok((await stages(unit, id)).includes('self-approved'))
})

test('requests, decisions and tokens say whose they are', async () => {
  const id = await ask(people.eve2)
  const change = await people.bob.decide(id, 'approve')
  assert.deepEqual(
    [change.principal, change.person, change.decisions[0]?.principal, change.decisions[0]?.person],
    ['eve2', 'eve', 'bob', undefined],
  )
  const { items } = await unit.gateway.controlPlane.tokens({ token: people.root.token }, context)
  assert.deepEqual(
    items
      .filter(({ name }) => (names as readonly string[]).includes(name))
      .map(({ name, createdBy, person: one }) => [name, createdBy, one]),
    [
      ['adam', 'admin', undefined],
      ['bob', 'admin', undefined],
      ['eve', 'admin', undefined],
      ['eve2', 'eve', 'eve'],
      ['eve3', 'eve2', 'eve'],
    ],
  )
})

test('with two approvals no two of one person’s tokens are enough, and neither counts for a request of the third', async () => {
  await reopen(2)
  for (const requester of ['root', 'adam'] as const) {
    const id = await ask(people[requester])
    assert.equal(await answer(people.eve, id), 'held')
    assert.equal(await answer(people.eve2, id), 'conflict')
    assert.equal(await answer(people.eve3, id), 'conflict')
    assert.equal(await answer(people.bob, id), 'applied')
  }
  const own = await ask(people.eve3)
  assert.deepEqual([await answer(people.eve, own), await answer(people.eve2, own)], ['self-approval', 'self-approval'])
  assert.deepEqual([await answer(people.root, own), await answer(people.bob, own)], ['held', 'applied'])
})

test('a unit that asks for two approvals does not start with two tokens of one person', async () => {
  const other = await openUnit()
  const solo = await mint(other, { name: 'solo', role: 'admin' })
  const wanted = v.parse(NewToken, { name: 'solo2', role: 'approver' })
  await other.gateway.controlPlane.createToken({ token: solo.token, wanted }, context)
  const tokens = createTokens()
  await tokens.load(other.store.read)
  const deps = { tokens, clock: createClock(Date.now), boot: { approvals: 2, adminToken: null } }
  assert.match(missingApprovers(deps) ?? '', /2 approvals are required, but only 1 person can approve the same change/)
  assert.equal(missingApprovers({ ...deps, boot: { approvals: 2, adminToken: 'x' } }), undefined)
  await other.close()
  await removeDirectory(other.dir)
})

test('tokens of before persons were kept are their creators’, and keep that when the creator goes', async () => {
  await unit.store.write(async (tx) => {
    await tx.run(`UPDATE tokens SET record = json_remove(record, '$.person')`, [])
    await tx.run(
      `INSERT INTO tokens (name, digest, record) SELECT 'orphan', ?, json_set(record, '$.name', 'orphan', '$.createdBy', 'gone') FROM tokens WHERE name = 'eve3'`,
      ['a'.repeat(64)],
    )
    for (const statement of persons) await tx.run(statement, [])
  })
  const rows = await unit.store.read.all<{ name: string; person: string | null }>(
    `SELECT name, record ->> '$.person' AS person FROM tokens WHERE name IN ('eve', 'eve2', 'eve3', 'made', 'orphan', 'bob') ORDER BY name`,
  )
  assert.deepEqual(
    rows.map(({ name, person: one }) => [name, one]),
    [
      ['bob', null],
      ['eve', null],
      ['eve2', 'eve'],
      ['eve3', 'eve'],
      ['made', 'maker'],
      ['orphan', 'gone'],
    ],
  )
})

test('tokens of before persons were kept whose creators lead back to themselves are one person', async () => {
  const creators = { ring1: 'ring2', ring2: 'ring3', ring3: 'ring1', tail: 'ring2', end: 'tail' }
  await unit.store.write(async (tx) => {
    for (const [index, [name, createdBy]] of Object.entries(creators).entries())
      await tx.run(
        `INSERT INTO tokens (name, digest, record) SELECT ?1, ?2, json_remove(json_set(record, '$.name', ?1, '$.createdBy', ?3), '$.person')
           FROM tokens WHERE name = 'eve3'`,
        [name, String(index).repeat(64), createdBy],
      )
    for (const statement of persons) await tx.run(statement, [])
  })
  const rows = await unit.store.read.all<{ person: string | null }>(
    `SELECT record ->> '$.person' AS person FROM tokens WHERE name IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(Object.keys(creators))],
  )
  assert.deepEqual(new Set(rows.map(({ person: one }) => one)), new Set(['ring1']))
})
