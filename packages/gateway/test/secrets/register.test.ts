// A tool server that a change brings along: its values reach the catalog file and the broker, and nobody else.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { mask } from '@gatehouse/contracts'
import { createGroup, decide, fails, read, submit, token } from '../fixtures/people.ts'
import { openSession } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const secret = 'hunter2-hunter2-hunter2'
const env = { PLAIN: secret, NAMED: '${NAMED}', MIXED: `Bearer ${secret} \${MIXED}` }
const entry = { transport: 'stdio', command: '/bin/cat', args: ['-u'], env }

const unit = await openTestUnit()
await createGroup(unit, 'a')

const register = (name: string, more: object = {}) => submit(unit, ['mcp_register', 'a', { name, ...entry, ...more }])

const stored = async (name: string) => (await unit.gateway.broker.catalog({}, context)).find((item) => item.name === name)?.entry

test('the approver sees what it is and what it is sent, and no value', async () => {
  const change = await read(unit, (await register('one')).id)
  assert.equal(change.risk, 'high')
  assert.deepEqual(change.after['env'], { PLAIN: mask, NAMED: '${NAMED}', MIXED: mask })
  assert.deepEqual(change.evidence, {
    status: 'described',
    server: 'one',
    transport: 'stdio',
    command: '/bin/cat',
    args: ['-u'],
    sends: [
      'sends a fixed value as PLAIN to the program /bin/cat',
      'sends the value of NAMED to the program /bin/cat',
      'sends the value of MIXED to the program /bin/cat',
    ],
  })
})

test('approved it stands in the catalog with its values', async () => {
  const { id, digest } = await register('two')
  assert.equal(await stored('two'), undefined)
  assert.equal((await decide(unit, [id, 'approve'], { digest })).state, 'applied')
  assert.deepEqual(await stored('two'), entry)
})

test('no file but the catalog, no answer and no event holds a value', async () => {
  const { controlPlane, runner } = unit.gateway
  const page = { token, limit: 200 }
  const told = [
    await controlPlane.pending(page, context),
    await controlPlane.history(page, context),
    await controlPlane.audit(page, context),
    await controlPlane.servers({ token }, context),
    await controlPlane.preview({ token, submission: { kind: 'mcp_register', agentGroupID: 'a', after: { name: 'x', ...entry } } }, context),
    await runner.sessions({}, context),
    unit.heard,
  ]
  assert.ok(!JSON.stringify(told).includes(secret))
  assert.ok(!JSON.stringify(told).includes('sealed:'))
  for (const name of await readdir(unit.dir)) {
    if (name === 'mcp-catalog.json' || name === 'run') continue
    assert.ok(!(await readFile(join(unit.dir, name))).includes(secret), name)
  }
})

test('a submission that is refused leaves no value either', async () => {
  const error = await fails(register('two', { env: { PLAIN: secret } }))
  assert.equal(error.extra?.['rule'], 'server-name-in-use')
  assert.ok(!JSON.stringify([error.detail, error.errors]).includes(secret))
  assert.ok(!(await readFile(join(unit.dir, 'audit.jsonl'), 'utf8')).includes(secret))
})

test('the same with another value is another digest, though it is shown alike', async () => {
  const [one, two] = [await register('three'), await register('three', { env: { ...env, PLAIN: 'other' } })]
  assert.notEqual(one.digest, two.digest)
  await decide(unit, [one.id, 'reject'])
  await decide(unit, [two.id, 'reject'])
})

test('two that wait for one name: the second that is approved fails, and the first stays', async () => {
  const [one, two] = [await register('four'), await register('four', { command: '/bin/other' })]
  assert.equal((await decide(unit, [one.id, 'approve'])).state, 'applied')
  const late = await decide(unit, [two.id, 'approve'])
  assert.deepEqual([late.state, late.failure?.rule], ['apply_failed', 'server-name-in-use'])
  assert.deepEqual(await stored('four'), entry)
})

test('an agent may ask for a server, and for nothing of the host', async () => {
  const session = await openSession(unit, 'a')
  const ask = async (after: object) => unit.gateway.runner.submitFor({ session: session.id, kind: 'mcp_register', after }, context)
  const remote = { name: 'far', transport: 'http', url: 'https://tools.example/mcp' }
  const named = await fails(ask({ ...remote, headers: { authorization: '${TOKEN}' } }))
  assert.equal(named.extra?.['rule'], 'agent-names-variable')
  assert.equal((await fails(ask({ ...remote, headers: { authorization: secret } }))).extra?.['rule'], 'agent-gives-value')
  const change = await read(unit, (await ask(remote)).id)
  assert.deepEqual([change.state, change.evidence?.['url'], change.evidence?.['sends']], ['held', remote.url, []])
})

test('a preview tells no digest by which a value could be guessed', async () => {
  const preview = (kind: string, after: object) =>
    unit.gateway.controlPlane.preview({ token, submission: { kind, agentGroupID: 'a', after } }, context)
  assert.equal((await preview('mcp_register', { name: 'seven', ...entry })).digest, undefined)
  assert.match((await preview('persona', { instructions: 'x' })).digest ?? '', /^[0-9a-f]{64}$/)
})
