// Configuring a tool server: what is refused, what is masked, what is kept, and that no secret is anywhere else.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { mask } from '@gatehouse/contracts'
import { carry, createGroup, fails, token } from '../fixtures/people.ts'
import { audit, stages } from '../fixtures/records.ts'
import { authorize, openSession, putServer, server } from '../fixtures/tools.ts'
import { context, openTestUnit } from '../fixtures/unit.ts'

const unit = await openTestUnit()

const local = {
  transport: 'stdio',
  command: 'server',
  args: ['--fast'],
  env: { TOKEN: 'literal-secret-1', NAME: '${NAME}', MIXED: 'Bearer ${NAME}' },
}
const remote = { transport: 'http', url: 'https://tools.example/mcp', headers: { Authorization: 'literal-secret-2', 'X-Ref': '${REF}' } }

const stored = async (name: string) => (await unit.gateway.broker.catalog({}, context)).find((item) => item.name === name)?.entry
const shown = async (name: string) => unit.gateway.controlPlane.server({ token, name: server(name) }, context)

test('creates, replaces, lists, reads and removes, each in the journal', async () => {
  const made = await putServer(unit, 'one', local)
  assert.equal(made.created, true)
  assert.equal((await putServer(unit, 'one', local)).created, false)
  const list = await unit.gateway.controlPlane.servers({ token }, context)
  assert.deepEqual(
    list.items.map((item) => item.name),
    ['one'],
  )
  await unit.gateway.controlPlane.removeServer({ token, name: server('one') }, context)
  assert.equal((await fails(shown('one'))).code, 'not-found')
  assert.equal((await fails(() => unit.gateway.controlPlane.removeServer({ token, name: server('one') }, context))).code, 'not-found')
  assert.deepEqual((await stages(unit)).slice(-3), ['catalog-put', 'catalog-put', 'catalog-delete'])
  assert.equal(unit.heard.filter((item) => item.event === 'catalog-changed').length, 3)
})

test('values leave masked, but for a bare reference, and go to the broker as stored', async () => {
  const put = await putServer(unit, 'local', local)
  const masked = { ...local, env: { TOKEN: mask, NAME: '${NAME}', MIXED: mask } }
  assert.deepEqual(put.entry, masked)
  assert.deepEqual((await shown('local')).entry, masked)
  assert.deepEqual(await stored('local'), local)
  await putServer(unit, 'remote', remote)
  assert.deepEqual((await shown('remote')).entry, { ...remote, headers: { Authorization: mask, 'X-Ref': '${REF}' } })
  assert.equal((await audit(unit)).at(-1)?.detail['digest'], (await shown('remote')).digest)
})

test('a mask sent back keeps the stored value while the server is the same', async () => {
  await putServer(unit, 'local', local)
  await putServer(unit, 'local', { ...local, env: { TOKEN: mask, NEW: 'x' } })
  assert.deepEqual(await stored('local'), { ...local, env: { TOKEN: 'literal-secret-1', NEW: 'x' } })
  await putServer(unit, 'remote', remote)
  await putServer(unit, 'remote', { ...remote, url: 'https://tools.example/other', headers: { Authorization: mask } })
  assert.deepEqual(await stored('remote'), {
    ...remote,
    url: 'https://tools.example/other',
    headers: { Authorization: 'literal-secret-2' },
  })
})

const elsewhere: readonly [what: string, name: string, entry: object, pointer: string][] = [
  ['another command', 'local', { ...local, command: 'thief', env: { TOKEN: mask } }, '/env/TOKEN'],
  ['other arguments', 'local', { ...local, args: [], env: { TOKEN: mask } }, '/env/TOKEN'],
  ['an image', 'local', { ...local, image: 'thief', env: { TOKEN: mask } }, '/env/TOKEN'],
  ['another transport', 'local', { ...remote, headers: { TOKEN: mask } }, '/headers/TOKEN'],
  ['another host', 'remote', { ...remote, url: 'https://thief.example/mcp', headers: { Authorization: mask } }, '/headers/Authorization'],
  [
    'another port',
    'remote',
    { ...remote, url: 'https://tools.example:444/mcp', headers: { Authorization: mask } },
    '/headers/Authorization',
  ],
  [
    'another scheme',
    'loop',
    { transport: 'http', url: 'http://localhost/mcp', headers: { Authorization: mask } },
    '/headers/Authorization',
  ],
  ['a name that has no value', 'local', { ...local, env: { OTHER: mask } }, '/env/OTHER'],
  ['a name of every object', 'local', { ...local, env: { toString: mask } }, '/env/toString'],
  ['a new server', 'fresh', { ...local, env: { TOKEN: mask } }, '/env/TOKEN'],
]

for (const [what, name, entry, pointer] of elsewhere) {
  test(`a mask for ${what} is refused and names the field to enter again`, async () => {
    await putServer(unit, 'local', local)
    await putServer(unit, 'remote', remote)
    await putServer(unit, 'loop', { transport: 'http', url: 'https://localhost/mcp', headers: { Authorization: 'x' } })
    const before = JSON.stringify(await unit.gateway.broker.catalog({}, context))
    const error = await fails(putServer(unit, name, entry))
    assert.equal(error.code, 'invalid')
    assert.deepEqual(
      error.errors?.map((issue) => issue.pointer),
      [pointer],
    )
    assert.equal(JSON.stringify(await unit.gateway.broker.catalog({}, context)), before)
  })
}

const refused: readonly [what: string, entry: unknown, pointer: string][] = [
  ['no entry', null, ''],
  ['no transport', { command: 'x' }, '/transport'],
  ['an unknown transport', { transport: 'sse', url: 'https://a.example' }, '/transport'],
  ['fields of the other transport', { transport: 'http', url: 'https://a.example', command: 'x' }, '/command'],
  ['an unknown member', { ...local, privileged: true }, '/privileged'],
  ['a remote url without encryption', { transport: 'http', url: 'http://a.example' }, '/url'],
  ['a url with a password', { transport: 'http', url: 'https://me:pw@a.example' }, '/url'],
  ['a reference in the command', { ...local, command: '${SHELL}' }, '/command'],
  ['a reference in an argument', { ...local, args: ['--key', 'a${KEY}'] }, '/args/1'],
  ['a reference in the image', { ...local, image: '${IMAGE}' }, '/image'],
  ['a reference in the url', { transport: 'http', url: 'https://a.example/${KEY}' }, '/url'],
  ['a variable with a bad name', { ...local, env: { 'A-B': 'x' } }, '/env/A-B'],
  ['an image that begins with a dash', { ...local, image: '--privileged' }, '/image'],
  ['a header of two lines', { ...remote, headers: { A: 'x\r\nB: y' } }, '/headers/A'],
  ['a NUL in an argument', { ...local, args: ['a\0b'] }, '/args/0'],
  ['a lone surrogate', { ...local, command: 'a\ud800' }, '/command'],
]

for (const [what, entry, pointer] of refused) {
  test(`refuses ${what} at its field and writes nothing`, async () => {
    const lines = (await audit(unit)).length
    const error = await fails(putServer(unit, 'bad', entry))
    assert.equal(error.code, 'invalid')
    assert.ok(
      error.errors?.some((issue) => issue.pointer === pointer),
      JSON.stringify(error.errors),
    )
    assert.equal((await audit(unit)).length, lines)
    assert.equal(await stored('bad'), undefined)
  })
}

test('the digest of an entry is its identity: values do not count, the command does', async () => {
  const one = await putServer(unit, 'id', local)
  assert.equal((await putServer(unit, 'id', { ...local, env: {} })).digest, one.digest)
  assert.equal((await putServer(unit, 'id', { ...local, image: '' })).digest, one.digest)
  assert.notEqual((await putServer(unit, 'id', { ...local, args: ['--slow'] })).digest, one.digest)
})

test('taking a server away leaves its grants', async () => {
  await createGroup(unit, 'kept')
  await putServer(unit, 'gone', local)
  await carry(unit, ['mcp_access', 'kept', { server: 'gone', tools: ['echo'] }])
  const session = await openSession(unit, 'kept')
  await unit.gateway.controlPlane.removeServer({ token, name: server('gone') }, context)
  assert.equal((await authorize(unit, session.id, ['gone', 'echo'])).allowed, true)
})

test('no secret is in the journal, the database or an answer; it is in the catalog file', async () => {
  await putServer(unit, 'local', local)
  await putServer(unit, 'remote', remote)
  const names = (await readdir(unit.dir)).filter((name) => name !== 'mcp-catalog.json' && name.includes('.'))
  for (const name of names) {
    const bytes = await readFile(join(unit.dir, name)).catch(() => Buffer.alloc(0))
    assert.ok(!bytes.includes('literal-secret'), name)
  }
  const { gateway } = unit
  const answers = [
    await gateway.controlPlane.servers({ token }, context),
    await gateway.controlPlane.audit({ token, limit: 200 }, context),
    await gateway.controlPlane.history({ token, limit: 200 }, context),
    await gateway.supervisor.health({}, context),
    unit.heard,
  ]
  assert.ok(!JSON.stringify(answers).includes('literal-secret'))
  assert.ok((await readFile(join(unit.dir, 'mcp-catalog.json'))).includes('literal-secret-1'))
})
