// What the runner says that names resolve to is what the approver sees, what the rules judge and what is installed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '@gatehouse/contracts'
import { createGroup, decide, fails, groups, read, submit } from '../fixtures/people.ts'
import { context, openTestUnit, openUnit, removeDirectory } from '../fixtures/unit.ts'
import { lockOf } from '../fixtures/change-context.ts'

const start = Date.UTC(2026, 10, 20)
let now = start
const unit = await openTestUnit({ clock: () => now, treeWait: 30_000 })
await createGroup(unit, 'a')

const timesWanted = (names: readonly string[]): number => {
  const text = JSON.stringify({ names })
  return unit.heard.filter(({ event, payload }) => event === 'packages-wanted' && JSON.stringify(payload) === text).length
}

const wanted = async (names: readonly string[], times = 1): Promise<void> => {
  while (timesWanted(names) < times) await new Promise(setImmediate)
}

const tell = (names: string[], more: object = {}) => unit.gateway.runner.resolved({ names, lock: lockOf(names, more) }, context)

const askFor = async (...npm: string[]): Promise<Change> => read(unit, (await submit(unit, ['packages', 'a', { npm }])).id)

const installed = async () => (await groups(unit))[0]?.packages

test('the whole tree is what is shown, approved and kept, in the order of the names', async () => {
  const names = ['is-even@1.0.0', 'is-odd@3.0.1']
  const asked = askFor('is-odd@3.0.1', 'is-even@1.0.0')
  await wanted(names)
  await tell(names)
  const change = await asked
  assert.equal(change.risk, 'high')
  assert.equal(change.evidence?.['status'], 'resolved')
  assert.deepEqual(change.evidence['lock'], lockOf(names))
  assert.equal((await decide(unit, [change.id, 'approve'], { digest: change.digest })).state, 'applied')
  assert.deepEqual(await installed(), { npm: names, tree: change.evidence['tree'], changeID: change.id })
  assert.deepEqual(await unit.gateway.runner.tree({ changeID: change.id }, context), { tree: change.evidence['tree'], lock: lockOf(names) })
})

test('a runner that comes meanwhile is asked again for what is still waited for, and for nothing else', async () => {
  const [names, others] = [['is-odd@2.0.0'], ['is-odd@2.0.1']]
  const asked = askFor(...names)
  await wanted(names)
  unit.gateway.onConnected('broker')
  unit.gateway.onConnected('runner')
  await wanted(names, 2)
  await tell(names)
  await asked
  const other = askFor(...others)
  await wanted(others)
  unit.gateway.onConnected('runner')
  await wanted(others, 2)
  await tell(others)
  await other
  assert.equal(timesWanted(names), 2)
})

test('a tree that is another one when it is decided is shown again', async () => {
  const asked = askFor('is-odd@3.0.2')
  await wanted(['is-odd@3.0.2'])
  await tell(['is-odd@3.0.2'])
  const change = await asked
  await tell(['is-odd@3.0.2'], { binaries: ['x.node'] })
  assert.equal((await fails(decide(unit, [change.id, 'approve'], { digest: change.digest }))).code, 'change-stale')
  assert.notEqual((await installed())?.changeID, change.id)
})

test('what the runner could not resolve is refused and never held', async () => {
  const asked = askFor('is-odd@3.0.3')
  await wanted(['is-odd@3.0.3'])
  const refused = { rule: 'not-from-registry', reason: 'is-odd@3.0.3 wants git+https://example.org/x.git (git)' }
  await unit.gateway.runner.resolved({ names: ['is-odd@3.0.3'], refused }, context)
  assert.equal((await fails(asked)).code, 'change-refused')
})

test('what nobody resolves in time is refused and never held', async () => {
  const late = await openUnit({ treeWait: 1 })
  await createGroup(late, 'a')
  assert.equal((await fails(submit(late, ['packages', 'a', { npm: ['is-odd@3.0.1'] }]))).code, 'change-refused')
  await late.close()
  await removeDirectory(late.dir)
})

test('a tree that is an hour old is asked for again', async () => {
  now += 60 * 60_000
  const names = ['is-even@1.0.0', 'is-odd@3.0.1']
  const asked = askFor(...names)
  await wanted(names, 2)
  await tell(names)
  assert.equal((await asked).evidence?.['age'], 0)
})

test('packages that are taken away reach a sandbox that is busy', async () => {
  const change = await askFor()
  assert.equal(change.risk, 'medium')
  assert.equal((await decide(unit, [change.id, 'approve'], { digest: change.digest })).state, 'applied')
  assert.equal(await installed(), undefined)
  const heard = unit.heard.filter(({ event }) => event === 'group-changed').at(-1)
  assert.deepEqual(heard?.payload, { agentGroupID: 'a', changeID: change.id, narrowing: true })
})
