// The typed client against the application: every function of the one meets a route of the other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@gatehouse/client'
import { isServiceError, ServiceError } from '@gatehouse/contracts'
import { createTestUnit, entry, home, type Options, token } from './fixtures/unit.ts'
import {
  change,
  changeView,
  explanation,
  freeze,
  grant,
  group,
  head,
  line,
  message,
  minted,
  named,
  preview,
  probe,
  reach,
  serverLogs,
  session,
  token as ann,
  wired,
} from './fixtures/values.ts'

const join = (options: Options = {}, presented: string | undefined = token) => {
  const { app, calls } = createTestUnit(options)
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const headers = { ...(init.headers as Record<string, string>), host: new URL(url).host }
    return await app.request(new Request(url, { ...init, headers }))
  }
  return { client: createClient({ address: `${home}/`, token: presented, fetch }), calls }
}

test('reaches every route and parses every answer', async () => {
  const { client } = join()
  const submission = { kind: 'persona', agentGroupID: 'dev-agent', after: { instructions: 'x' } }
  assert.equal((await client.changes.submit(submission)).id, change.id)
  assert.deepEqual((await client.changes.pending()).items, [change])
  assert.deepEqual(await client.changes.history({ limit: 3, cursor: 'x' }), { items: [change], nextCursor: 'next' })
  assert.deepEqual(await client.changes.show(change.id), changeView)
  assert.deepEqual(await client.changes.preview(submission), preview)
  assert.deepEqual(await client.changes.evidence(change.id), { evidence: { tools: [] } })
  assert.deepEqual(await client.changes.reach(change.id), reach)
  assert.equal((await client.changes.withdraw(change.id)).state, 'withdrawn')
  assert.equal((await client.changes.retry(change.id)).state, 'applied')
  assert.equal((await client.changes.revert(change.id, { reason: 'it was wrong' })).id, change.id)
  assert.equal((await client.changes.decide(change.id, { outcome: 'approve', decidedBy: 'ann' })).state, 'applied')
  assert.deepEqual((await client.audit.list({ limit: 1 })).items, [line])
  assert.deepEqual(await client.audit.head(), head)
  assert.deepEqual((await client.groups.list()).items, [group])
  assert.deepEqual(await client.groups.show('dev-agent'), group)
  assert.deepEqual((await client.wirings.list({ agentGroupID: 'dev-agent' })).items, [wired])
  assert.deepEqual(await client.explain('dev-agent', 'sample__echo'), explanation)
  assert.deepEqual((await client.grants.list()).items, [grant])
  assert.deepEqual((await client.sessions.list()).items, [session])
  assert.equal((await client.servers.list()).items[0]?.state?.status, 'up')
  assert.equal((await client.servers.show('sample')).name, 'sample')
  const grants = [{ agentGroupID: 'dev-agent', server: 'sample' }]
  assert.deepEqual(await client.servers.put('sample', entry), { ...named, grants })
  assert.deepEqual(await client.servers.put('sample', entry, { ifMatch: named.tag }), { ...named, grants })
  assert.deepEqual((await client.servers.reload()).added, ['sample'])
  assert.equal(await client.servers.remove('sample'), undefined)
  assert.deepEqual(await client.servers.probe('sample'), probe)
  assert.deepEqual(await client.servers.logs('sample', { after: 3 }), serverLogs)
  assert.deepEqual((await client.tokens.list()).items, [ann])
  assert.deepEqual(await client.tokens.create({ name: 'ann', role: 'approver' }), minted)
  assert.equal(await client.tokens.revoke('ann'), undefined)
  assert.deepEqual(await client.freezes.freeze({ reason: 'a drill' }), freeze)
  assert.deepEqual((await client.freezes.list()).items, [])
  assert.equal(await client.freezes.unfreeze({ reason: 'over', agentGroupID: 'dev-agent' }), undefined)
  assert.equal(await client.sessions.terminate(session.id, { reason: 'stuck' }), undefined)
  assert.equal(await client.sessions.resume(session.id), undefined)
  assert.equal(await client.sessions.cancel(session.id), undefined)
  assert.equal(await client.sessions.purge(session.id), undefined)
  assert.deepEqual(await client.sessions.logs(session.id, { limit: 5 }), { lines: [], dropped: 0 })
  assert.equal((await client.chat.send({ agentGroupID: 'dev-agent', text: 'hello' })).messageId, message.id)
  assert.deepEqual(await client.chat.messages('dev-agent', { after: 0, limit: 5, conversation: 'c' }), { messages: [message] })
  assert.equal((await client.status()).held, 1)
  assert.equal((await client.ready()).status, 'ready')
  assert.match(await client.metrics(), /gatehouse_http_request_duration_seconds/)
})

test('learns that a unit is not ready without an error', async () => {
  const { client } = join({ gatewayConnected: false })
  assert.equal((await client.ready()).status, 'not-ready')
})

test('rejects with the error that the unit answered', async () => {
  const refuse = (): never => {
    throw new ServiceError('change-refused', {
      detail: 'no such server',
      hint: 'configure it',
      extra: { changeID: change.id, rule: 'server' },
    })
  }
  const { client } = join({ answers: { 'gateway.submit': refuse } })
  await assert.rejects(
    client.changes.submit({ kind: 'mcp_access', agentGroupID: 'a', after: {} }, { requestId: 'request-0001' }),
    (error) => {
      assert.ok(isServiceError(error))
      assert.deepEqual([error.code, error.detail, error.hint], ['change-refused', 'no such server', 'configure it'])
      assert.deepEqual(error.extra, { changeID: change.id, rule: 'server', requestId: 'request-0001' })
      return true
    },
  )
})

test('rejects with the fields that do not fit', async () => {
  const { client } = join()
  await assert.rejects(client.chat.send({ agentGroupID: 'A B', text: '' }), (error) => {
    assert.ok(isServiceError(error))
    assert.equal(error.code, 'invalid')
    assert.deepEqual(
      error.errors?.map(({ pointer }) => pointer),
      ['/agentGroupID', '/text'],
    )
    return true
  })
})

test('rejects with unauthorized without a token, and reaches an open unit', async () => {
  await assert.rejects(join({}, '').client.status(), (error) => isServiceError(error) && error.code === 'unauthorized')
  assert.equal((await join({ boot: { open: true } }, undefined).client.status()).open, true)
})

test('cannot be led to another route by an id', async () => {
  const { client, calls } = join()
  for (const id of ['../status', '..', 'pending?limit=1', 'a/decision', '#']) {
    await assert.rejects(client.changes.show(id), (error) => isServiceError(error) && error.code === 'not-found')
  }
  assert.ok(calls.every(({ name }) => name === 'gateway.permit'))
})
