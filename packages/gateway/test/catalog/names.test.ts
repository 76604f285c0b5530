// Names of tool servers: letters of either case, and no two that differ by case alone.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isRefusal } from '@gatehouse/kernel'
import { loadCatalog } from '../../src/catalog/load.ts'
import { carry, createGroup, decide, fails, grants, submit, token } from '../fixtures/people.ts'
import { authorize, openSession, putServer, server, stdio } from '../fixtures/tools.ts'
import { context, openTestUnit, openUnit } from '../fixtures/unit.ts'

let unit = await openTestUnit()
await createGroup(unit, 'team')

const names = async () => (await unit.gateway.controlPlane.servers({ token }, context)).items.map(({ name }) => name)
const remove = async (name: string) => unit.gateway.controlPlane.removeServer({ token, name: server(name) }, context)

test('a name may have letters of either case, digits, dots, dashes and underscores, up to 64', () => {
  for (const name of ['GitHub', 'a.b-C_9', '9', 'x'.repeat(64)]) assert.equal(server(name), name)
  for (const name of ['', '.', '..', '-a', '_a', 'a__b', 'x'.repeat(65), 'ümlaut', 'a b', 'a/b', 'a.ses_abcdefghijklm', 'Constructor__'])
    assert.throws(() => server(name), name)
})

test('a name in another case means the same server, which keeps the spelling that it was saved under', async () => {
  assert.deepEqual([(await putServer(unit, 'GitHub')).created, (await putServer(unit, 'github')).created], [true, false])
  assert.deepEqual(await names(), ['GitHub'])
  assert.equal((await unit.gateway.controlPlane.server({ token, name: server('GITHUB') }, context)).name, 'GitHub')
})

test('a grant, its explanation and its revocation find the server in any case, and there is one grant', async () => {
  await putServer(unit, 'GitHub')
  await carry(unit, ['mcp_access', 'team', { server: 'github', tools: ['search'] }])
  await carry(unit, ['mcp_access', 'team', { server: 'GITHUB', tools: ['search', 'read'] }])
  assert.deepEqual(
    (await grants(unit)).map((grant) => [grant.server, grant.tools]),
    [['GitHub', ['search', 'read']]],
  )
  const session = await openSession(unit, 'team')
  assert.equal((await authorize(unit, session.id, ['GitHub', 'read'])).allowed, true)
  const explained = await unit.gateway.controlPlane.explain({ token, agentGroupID: session.agentGroupID, tool: 'gitHUB__read' }, context)
  assert.equal(explained.allowed, true)
  const revoked = await carry(unit, ['mcp_revoke', 'team', { server: 'githuB' }])
  assert.equal(revoked.after['server'], 'GitHub')
  assert.equal((await authorize(unit, session.id, ['GitHub', 'read'])).allowed, false)
})

test('a name that was removed keeps its spelling, so its grants are for the server that comes back', async () => {
  await putServer(unit, 'Jira')
  await carry(unit, ['mcp_access', 'team', { server: 'jira', tools: ['read'] }])
  await remove('JIRA')
  assert.equal((await putServer(unit, 'jira')).name, 'Jira')
  assert.equal((await grants(unit)).find((grant) => grant.server === 'Jira')?.state, 'active')
})

test('a registration under a name that differs by case alone is refused', async () => {
  await putServer(unit, 'GitHub')
  const refused = await fails(submit(unit, ['mcp_register', 'team', { name: 'github', ...stdio }]))
  assert.deepEqual([refused.code, refused.extra?.['rule']], ['change-refused', 'server-name-in-use'])
})

test('of two registrations that differ by case alone and are held together, one is applied', async () => {
  const one = await submit(unit, ['mcp_register', 'team', { name: 'Wiki', ...stdio }])
  const other = await submit(unit, ['mcp_register', 'team', { name: 'wiki', ...stdio }])
  assert.equal((await decide(unit, [one.id, 'approve'])).state, 'applied')
  const failed = await decide(unit, [other.id, 'approve'])
  assert.deepEqual([failed.state, failed.failure?.rule], ['apply_failed', 'catalog-conflict'])
  assert.deepEqual(
    (await names()).filter((name) => name.toLowerCase() === 'wiki'),
    ['Wiki'],
  )
})

test('a file that writes a known name in another case changes nothing but what it says of the entry', async () => {
  const path = join(unit.dir, 'mcp-catalog.json')
  const entries = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
  const { GitHub: _, ...others } = entries
  await writeFile(path, JSON.stringify({ ...others, github: { ...stdio, command: '/bin/other' } }))
  const { added, changed, removed } = await unit.gateway.controlPlane.reload({ token }, context)
  assert.deepEqual({ added, changed, removed }, { added: [], changed: ['GitHub'], removed: [] })
  assert.ok((await names()).includes(server('GitHub')))
})

test('a file with two names that differ by case alone is refused, and both are named', async () => {
  const path = join(unit.dir, 'two.json')
  await writeFile(path, JSON.stringify({ GitHub: stdio, github: stdio }), { mode: 0o600 })
  await assert.rejects(loadCatalog(path), (error) => isRefusal(error) && /GitHub.*github/.test(error.detail))
})

test('a server that was known by its old spelling is the same after a start on a file with another', async () => {
  const path = join(unit.dir, 'mcp-catalog.json')
  const entries = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
  const known = await names()
  await unit.close()
  await writeFile(path, JSON.stringify(Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name.toUpperCase(), entry]))))
  unit = await openUnit({ dir: unit.dir })
  assert.deepEqual(await names(), known)
  assert.equal((await fails(remove('none'))).code, 'not-found')
})
