// Nobody approves what it asked for: principals are compared, never the labels that they give.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { administrator, mint, type Person } from '../fixtures/crowd.ts'
import { carry, createGroup, fails, read, submit } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { putServer } from '../fixtures/tools.ts'
import { openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

let unit: Unit
let alice: Person
let bob: Person
let boss: Person
before(async () => {
  unit = await openUnit()
  await createGroup(unit, 'g')
  await putServer(unit, 'sample')
  alice = await mint(unit, { name: 'alice', role: 'approver' })
  bob = await mint(unit, { name: 'bob', role: 'approver' })
  boss = await mint(unit, { name: 'boss', role: 'admin' })
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

const persona = (text: string) => ['persona', 'g', { instructions: text }] as const

/** Labels that read like another person’s, or like the gateway’s own. */
const lookAlikes = [
  'bob',
  'Bob',
  'BOB',
  ' bob',
  'bob ',
  'b\u043Eb',
  'bo\u0062',
  'b\u1D0Fb',
  'bo\u200Bb',
  '\u202Ebob',
  'bob\u0000',
  'bob\u00A0',
  'bob\u3000',
  'ｂｏｂ',
  '𝐛𝐨𝐛',
  '𝒃𝒐𝒃',
  '𝓫𝓸𝓫',
  '𝕓𝕠𝕓',
  'ⓑⓞⓑ',
  'bóḇ',
  'b0b',
  'bob.',
  'bob@host',
  'bob (admin)',
  'bob\nadmin',
  'bob\tadmin',
  'admin',
  'Admin',
  'ADMIN',
  'аdmin',
  'adm\u0456n',
  'admin\u200D',
  'root',
  'dev',
  'gateway',
  'broker',
  'runner',
  'supervisor',
  'channels',
  'api:bob',
  'api:admin',
  'cli:bob',
  'cli:root',
  'agent:g',
  'session:ses_aaaaaaaaaaaaa',
  'gateway:drift',
  'boss',
  'api:boss',
  'bоss',
  'alice',
  'api:alice',
  'not alice',
  'undefined',
  'null',
  '{}',
  '[]',
  '""',
  "' OR 1=1 --",
  '${ADMIN}',
  '__proto__',
  'constructor',
  'toString',
]

test(`none of ${lookAlikes.length} look-alike labels counts as another principal`, async () => {
  assert.ok(lookAlikes.length >= 60)
  for (const [index, label] of lookAlikes.entries()) {
    const { id } = await alice.submit(persona(`own ${index}`), { requestedBy: label })
    const change = await read(unit, id)
    assert.deepEqual([change.principal, change.requestedBy], ['alice', label])
    for (const decidedBy of [label, 'bob']) {
      const error = await fails(alice.decide(id, 'approve', { decidedBy }))
      assert.equal(error.code, 'self-approval', JSON.stringify(label))
      assert.ok(error.detail.includes('alice'))
    }
    assert.equal((await read(unit, id)).state, 'held')
  }
})

test('another principal may approve, whatever it calls itself', async () => {
  const { id } = await alice.submit(persona('by alice'), { requestedBy: 'alice' })
  const change = await bob.decide(id, 'approve', { decidedBy: 'alice' })
  assert.equal(change.state, 'applied')
  assert.deepEqual([change.decisions[0]?.by, change.decisions[0]?.principal], ['alice', 'bob'])
  assert.ok(!(await stages(unit, id)).includes('self-approved'))
})

test('the admin token may decide what it submitted, and the journal says so', async () => {
  const change = await carry(unit, [...persona('by admin')])
  assert.equal(change.state, 'applied')
  assert.deepEqual(await stages(unit, change.id), ['submit', 'approve', 'self-approved', 'apply'])
})

test('a named token may not, with the role of an admin either', async () => {
  const { id } = await boss.submit(persona('by boss'))
  assert.equal((await fails(boss.decide(id, 'approve'))).code, 'self-approval')
  assert.equal((await administrator(unit).decide(id, 'approve')).state, 'applied')
})

test('a named token may approve its own change where power is only taken away', async () => {
  await carry(unit, ['mcp_access', 'g', { server: 'sample', tools: ['echo', 'add'] }])
  const part = await alice.submit(['mcp_revoke', 'g', { server: 'sample', tools: ['echo'] }])
  assert.equal((await alice.decide(part.id, 'approve')).state, 'applied')
  assert.deepEqual(await stages(unit, part.id), ['submit', 'approve', 'self-approved', 'apply'])
  const again = await alice.submit(['mcp_access', 'g', { server: 'sample', tools: ['add'] }])
  assert.equal((await fails(alice.decide(again.id, 'approve'))).code, 'self-approval')
})

test('everybody who may decide may reject, its own request too', async () => {
  const { id } = await alice.submit(persona('regret'))
  assert.equal((await alice.decide(id, 'reject')).state, 'rejected')
})

test('a self-approval that is refused leaves no line', async () => {
  const { id } = await alice.submit(persona('silent'))
  const before = (await audit(unit)).length
  await fails(alice.decide(id, 'approve'))
  assert.equal((await audit(unit)).length, before)
})

test('labels and one token work as the specification writes them', async () => {
  const { id } = await submit(unit, [...persona('spec')], { requestedBy: 'cli:root' })
  const change = await administrator(unit).decide(id, 'approve', { decidedBy: 'approver' })
  assert.equal(change.state, 'applied')
  const lines = (await audit(unit)).filter((entry) => entry.changeID === id)
  assert.deepEqual(
    lines.map(({ stage, by, principal }) => [stage, by, principal]),
    [
      ['submit', 'cli:root', 'admin'],
      ['approve', 'approver', 'admin'],
      ['self-approved', 'approver', 'admin'],
      ['apply', 'approver', 'admin'],
    ],
  )
})
