// Groups and grants come whole from the gateway and leave in pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestUnit } from '../fixtures/unit.ts'
import { explanation, grant, group, head, line, wired } from '../fixtures/values.ts'

test('lists groups, grants and lines of the journal', async () => {
  const { ask } = createTestUnit()
  assert.deepEqual((await ask('GET', '/v1/agent-groups')).json(), { items: [group] })
  assert.deepEqual((await ask('GET', '/v1/grants')).json(), { items: [grant] })
  assert.deepEqual((await ask('GET', '/v1/audit')).json(), { items: [line] })
})

test('shows one group, the wirings and the grants of one, the head of the journal, and why a call is allowed', async () => {
  const { ask, named } = createTestUnit()
  assert.deepEqual((await ask('GET', '/v1/agent-groups/dev-agent')).json(), group)
  assert.deepEqual((await ask('GET', '/v1/wirings?agentGroupID=dev-agent')).json(), { items: [wired] })
  assert.equal((await ask('GET', '/v1/grants?agentGroupID=dev-agent&limit=1')).status, 200)
  assert.deepEqual((await ask('GET', '/v1/audit/head')).json(), head)
  assert.deepEqual((await ask('GET', '/v1/audit/verify')).json(), { ok: true, lines: 7, head: { seq: 7, hash: head.hash } })
  assert.deepEqual((await ask('GET', '/v1/explain?agentGroupID=dev-agent&tool=sample__echo')).json(), explanation)
  for (const call of ['group', 'wirings', 'grants', 'explain']) assert.equal(named(`gateway.${call}`)[0]?.params.agentGroupID, 'dev-agent')
})

test('refuses to explain what is not asked in full', async () => {
  const { ask } = createTestUnit()
  for (const query of ['', '?agentGroupID=dev-agent', '?tool=a__b', '?agentGroupID=dev-agent&tool=', '?agentGroupID=A&tool=a__b'])
    assert.equal((await ask('GET', `/v1/explain${query}`)).status, 422, query)
  assert.equal((await ask('GET', '/v1/agent-groups/A%20B')).status, 404)
})

test('walks through every group once, page by page', async () => {
  const groups = Array.from({ length: 23 }, (_, i) => ({ ...group, id: `group-${String(i).padStart(2, '0')}` }))
  const { ask } = createTestUnit({ answers: { 'gateway.groups': () => ({ items: groups.toReversed() }) } })
  const seen: string[] = []
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const { items, nextCursor } = (await ask('GET', `/v1/agent-groups?limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`)).json()
    seen.push(...(items as { id: string }[]).map(({ id }) => id))
    cursor = nextCursor as string | undefined
  }
  assert.deepEqual(
    seen,
    groups.map(({ id }) => id),
  )
})

test('gives no cursor with the last page', async () => {
  const { ask } = createTestUnit({ answers: { 'gateway.groups': () => ({ items: [group] }) } })
  assert.deepEqual((await ask('GET', '/v1/agent-groups?limit=1')).json(), { items: [group] })
})

test('refuses a cursor that it never gave', async () => {
  const { ask } = createTestUnit()
  assert.equal((await ask('GET', '/v1/grants?cursor=*')).status, 422)
})
