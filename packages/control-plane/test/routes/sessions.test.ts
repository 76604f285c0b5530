// Sessions ended and woken: the gateway first, then the runner, whose absence undoes nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Code, ServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { createTestUnit, token } from '../fixtures/unit.ts'
import { session } from '../fixtures/values.ts'

const digest = sha256(token)
const path = `/v1/sessions/${session.id}`
const throwing = (code: Code) => (): never => {
  throw new ServiceError(code)
}

test('lists sessions page by page, by every filter, and to whoever asks for no page the first', async () => {
  const filter = { session: session.id, conversation: 'console', state: 'parked' }
  const { ask, named } = createTestUnit({ answers: { 'runner.sessions': () => ({ items: [session], nextCursor: session.id }) } })
  assert.deepEqual((await ask('GET', '/v1/sessions')).json(), { items: [session], nextCursor: session.id })
  const query = new URLSearchParams({ ...filter, limit: '7', cursor: session.id, agentGroupID: 'dev-agent' })
  assert.equal((await ask('GET', `/v1/sessions?${query.toString()}`)).status, 200)
  assert.deepEqual(
    named('runner.sessions').map(({ params }) => params),
    [{ limit: 50 }, { ...filter, limit: 7, cursor: session.id, agentGroupIDs: ['dev-agent'] }],
  )
  for (const wrong of ['limit=201', 'cursor=x', 'session=x', 'state=gone', 'agentGroupID=A%20B', 'since=1'])
    assert.equal((await ask('GET', `/v1/sessions?${wrong}`)).status, 422, wrong)
})

test('closes a session at the gateway, then ends its sandbox at the runner', async () => {
  const { ask, calls } = createTestUnit()
  assert.equal((await ask('POST', `${path}/terminate`, { body: { reason: 'stuck' } })).status, 204)
  assert.deepEqual(
    calls.slice(1).map(({ name, params }) => [name, params]),
    [
      ['gateway.terminate', { token: digest, session: session.id, reason: 'stuck' }],
      ['runner.terminate', { session: session.id }],
    ],
  )
})

test('takes a session for closed while the runner does not answer, and for gone where it knows none', async () => {
  for (const [code, status] of [
    ['unavailable', 202],
    ['deadline', 202],
    ['internal', 202],
    ['not-found', 204],
  ] as const) {
    const { ask } = createTestUnit({ answers: { 'runner.terminate': throwing(code) } })
    assert.equal((await ask('POST', `${path}/terminate`)).status, status, code)
  }
})

test('ends nothing that the gateway does not close', async () => {
  for (const [code, status] of [
    ['not-found', 404],
    ['forbidden', 403],
  ] as const) {
    const { ask, named } = createTestUnit({ answers: { 'gateway.terminate': throwing(code) } })
    assert.equal((await ask('POST', `${path}/terminate`)).status, status)
    assert.deepEqual(named('runner.terminate'), [])
  }
  assert.equal((await createTestUnit().ask('POST', '/v1/sessions/nonsense/terminate')).status, 404)
})

test('wakes a parked session that the gateway permits to be woken', async () => {
  const { ask, named } = createTestUnit()
  assert.equal((await ask('POST', `${path}/resume`)).status, 204)
  assert.deepEqual(named('gateway.permit').at(-1)?.params, { token: digest, route: 'resume', session: session.id })
  assert.deepEqual(named('runner.resume')[0]?.params, { session: session.id })
  const refused = createTestUnit({
    answers: {
      'gateway.permit': ({ route }: { route: string }) => (route === 'resume' ? throwing('forbidden')() : { name: 'a', role: 'requester' }),
    },
  })
  assert.equal((await refused.ask('POST', `${path}/resume`)).status, 403)
  assert.deepEqual(refused.named('runner.resume'), [])
})

for (const [act, method] of [
  ['cancel', 'POST'],
  ['purge', 'POST'],
  ['logs', 'GET'],
] as const) {
  test(`asks the gateway before the runner: ${act}`, async () => {
    const { ask, named } = createTestUnit()
    assert.ok((await ask(method, `${path}/${act}`)).status < 300)
    assert.deepEqual(named('gateway.permit').at(-1)?.params, { token: digest, route: act, session: session.id })
    assert.equal(named(`runner.${act}`).length, 1)
    const refused = createTestUnit({
      answers: {
        'gateway.permit': ({ route }: { route: string }) => (route === act ? throwing('forbidden')() : { name: 'a', role: 'auditor' }),
      },
    })
    assert.equal((await refused.ask(method, `${path}/${act}`)).status, 403)
    assert.deepEqual(refused.named(`runner.${act}`), [])
    const missing = createTestUnit({ answers: { [`runner.${act}`]: throwing('not-found') } })
    assert.equal((await missing.ask(method, `${path}/${act}`)).status, 404)
  })
}
