// `svcctl mcp grant` on a whole unit: it adds to what a group has, says what a group loses, and knows a misspelt tool.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runSvcctl } from '../src/svcctl.ts'
import { startUnit, type Unit } from '../src/unit.ts'

let unit: Unit
before(async () => {
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none'] })
})
after(() => unit?.dispose())

const svcctl = (args: readonly string[]) => runSvcctl(args, { address: unit.address, home: unit.stateDir })
const grant = (...flags: readonly string[]) => svcctl(['mcp', 'grant', 'sample', '--group', 'dev-agent', ...flags])
const approve = async (id: string): Promise<unknown> => unit.client.changes.decide(id.trim(), { outcome: 'approve', decidedBy: 'someone' })
const toolsOf = async (): Promise<readonly string[] | undefined> => (await unit.client.grants.list()).items[0]?.tools
const held = async (): Promise<number> => (await unit.client.changes.pending()).items.length

test('a tool is added to those that the group has, with the terms of the grant kept', async () => {
  await approve((await grant('--tool', 'echo', '--max-calls', '9')).stdout)
  await approve((await grant('--tool', 'add')).stdout)
  const [present] = (await unit.client.grants.list()).items
  assert.deepEqual([present?.tools, present?.maxCalls], [['echo', 'add'], 9])
})

test('--replace grants only the named tools, and what the group loses is said before anybody approves', async () => {
  const { stdout, stderr } = await grant('--tool', 'add', '--replace')
  assert.match(stderr, /dev-agent loses echo of sample/)
  await approve(stdout)
  assert.deepEqual(await toolsOf(), ['add'])
})

test('a change that replaces a grant says what the group loses, too', async () => {
  const { stdout, stderr } = await svcctl('change submit mcp_access --group dev-agent --server sample --tool echo'.split(' '))
  assert.match(stderr, /dev-agent loses add of sample/)
  await unit.client.changes.withdraw(stdout.trim())
})

test('a misspelt tool is refused with the one that was meant, and nothing is submitted', async () => {
  const ended = await grant('--tool', 'ehco')
  assert.deepEqual([ended.code, await held()], [2, 0])
  assert.match(ended.stderr, /sample does not declare ehco/)
  assert.match(ended.stderr, /did you mean echo\?/)
  const submitted = await svcctl('change submit mcp_access --group dev-agent --server sample --tool ehco'.split(' '))
  assert.deepEqual([submitted.code, await held()], [2, 0])
})

test('--allow-undeclared submits a tool that the server does not declare yet', async () => {
  const { code, stdout } = await grant('--tool', 'later', '--allow-undeclared')
  assert.equal(code, 0)
  await unit.client.changes.withdraw(stdout.trim())
})

test('a grant of every tool is not narrowed by adding to it', async () => {
  await approve((await grant('--all-tools')).stdout)
  const ended = await grant('--tool', 'echo')
  assert.equal(ended.code, 2)
  assert.match(ended.stderr, /may use every tool of sample already[^]*--replace/)
})
