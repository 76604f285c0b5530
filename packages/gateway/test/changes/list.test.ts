// Lists of changes, by what people search them by.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Change, ChangeState, Kind } from '@gatehouse/contracts'
import { mint, type Person } from '../fixtures/crowd.ts'
import { createGroup, decide, fails, group, submit, token } from '../fixtures/people.ts'
import { putServer } from '../fixtures/tools.ts'
import { context, openUnit, removeDirectory, type Unit } from '../fixtures/unit.ts'

let now = Date.now() + 60_000
let unit: Unit
let alice: Person
const times: string[] = []
before(async () => {
  unit = await openUnit({ clock: () => now })
  await putServer(unit, 'sample')
  alice = await mint(unit, { name: 'alice', role: 'approver' })
  for (const id of ['a', 'b']) await createGroup(unit, id)
  for (let turn = 0; turn < 6; turn += 1) {
    now += 1000
    times.push(new Date(now).toISOString())
    const one = await submit(unit, ['persona', 'a', { instructions: `${turn}` }], { requestedBy: turn % 2 === 0 ? 'cli:x' : 'cli:y' })
    const two = await alice.submit(['mcp_access', 'b', { server: 'sample', tools: [`t${turn}`] }])
    if (turn % 3 === 0) await decide(unit, [one.id, 'approve'])
    if (turn % 3 === 1) await decide(unit, [two.id, 'reject'])
  }
})
after(async () => {
  await unit.close()
  await removeDirectory(unit.dir)
})

interface Filter {
  readonly agentGroupID?: string
  readonly kind?: Kind
  readonly requestedBy?: string
  readonly principal?: string
  readonly state?: ChangeState
  readonly since?: string
  readonly until?: string
}

const page = async (which: 'pending' | 'history', { agentGroupID, ...filter }: Filter, more: { limit: number; cursor?: string }) =>
  unit.gateway.controlPlane[which](
    { token, ...filter, ...(agentGroupID === undefined ? {} : { agentGroupID: group(agentGroupID) }), ...more },
    context,
  )

const all = async (which: 'pending' | 'history', filter: Filter = {}, limit = 200): Promise<Change[]> => {
  const items: Change[] = []
  let cursor: string | undefined
  do {
    const found = await page(which, filter, { limit, ...(cursor === undefined ? {} : { cursor }) })
    items.push(...found.items)
    cursor = found.nextCursor
  } while (cursor !== undefined)
  return items
}

const filters: readonly (readonly [what: string, filter: Filter, fits: (change: Change) => boolean])[] = [
  ['group', { agentGroupID: 'a' }, (change) => change.agentGroupID === 'a'],
  ['kind', { kind: 'mcp_access' }, (change) => change.kind === 'mcp_access'],
  ['requester', { requestedBy: 'cli:x' }, (change) => change.requestedBy === 'cli:x'],
  ['principal', { principal: 'alice' }, (change) => change.principal === 'alice'],
  ['group and requester', { agentGroupID: 'a', requestedBy: 'cli:y' }, (change) => change.requestedBy === 'cli:y'],
  ['a group that has none', { agentGroupID: 'nobody' }, () => false],
  [
    'all at once',
    { agentGroupID: 'b', kind: 'mcp_access', principal: 'alice', requestedBy: 'api:alice' },
    (change) => change.kind === 'mcp_access',
  ],
]

for (const which of ['pending', 'history'] as const) {
  for (const [what, filter, fits] of filters) {
    test(`${which} is searched by ${what}, in pages of any size`, async () => {
      const expected = (await all(which)).filter(fits).map(({ id }) => id)
      for (const limit of [1, 2, 200]) {
        assert.deepEqual(
          (await all(which, filter, limit)).map(({ id }) => id),
          expected,
        )
      }
    })
  }

  test(`${which} is cut by time, from the first moment to before the last`, async () => {
    const [, second = '', , , fifth = ''] = times
    const expected = (await all(which)).filter(({ createdAt }) => createdAt >= second && createdAt < fifth)
    assert.ok(expected.length > 0)
    const found = await all(which, { since: second, until: fifth }, 1)
    assert.deepEqual(
      found.map(({ id }) => id),
      expected.map(({ id }) => id),
    )
    assert.deepEqual(await all(which, { since: fifth, until: second }), [])
  })
}

test('pending is oldest first and holds what is held; history is newest first and holds the rest', async () => {
  const [pending, history] = [await all('pending'), await all('history')]
  const ids = (changes: Change[]) => changes.map(({ id }) => id)
  assert.deepEqual(ids(pending), ids(pending).toSorted())
  assert.deepEqual(ids(history), ids(history).toSorted().toReversed())
  assert.ok(pending.every(({ state }) => state === 'held'))
  assert.ok(history.every(({ state }) => state !== 'held'))
  assert.equal(pending.length + history.length, 14)
})

test('history is searched by state', async () => {
  for (const state of ['applied', 'rejected', 'refused', 'held'] as const) {
    const found = await all('history', { state })
    assert.ok(found.every((change) => change.state === state))
    assert.equal(found.length > 0, state !== 'refused')
  }
})

test('refuses a cursor that is none', async () => {
  for (const cursor of ['', 'x', "chg_' OR 1=1 --", 'chg_20260101000000.00000000']) {
    assert.equal((await fails(page('history', {}, { limit: 1, cursor }))).code, 'invalid')
  }
})
