// Chat and sessions: permitted by the gateway for this group, carried by the runner.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits, ServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { createTestUnit } from '../fixtures/unit.ts'
import { message, session } from '../fixtures/values.ts'

const send = { agentGroupID: 'dev-agent', text: 'hello' }
const refusingRoute = (wanted: string) => ({
  'gateway.permit': ({ route }: { route: string }) => {
    if (route === wanted) throw new ServiceError('forbidden')
    return { name: 'a', role: 'auditor' }
  },
})

test('sends a message and answers 202 with where it went', async () => {
  const { ask, named } = createTestUnit()
  const answer = await ask('POST', '/v1/ui/chat/send', { body: { ...send, conversationId: 'c1' } })
  assert.equal(answer.status, 202)
  assert.deepEqual(answer.json(), { conversationId: message.conversationId, messageId: message.id, sessionId: session.id })
  assert.deepEqual(named('runner.send')[0]?.params, { ...send, conversationId: 'c1' })
  const permit = named('gateway.permit').at(-1)?.params
  assert.deepEqual([permit?.route, permit?.agentGroupID], ['chat', 'dev-agent'])
})

test('hands the name of an attempt to the runner, under who makes it', async () => {
  const { ask, named } = createTestUnit()
  const body = JSON.stringify(send)
  assert.equal(
    (await ask('POST', '/v1/ui/chat/send', { body, headers: { 'idempotency-key': 'k' } })).headers.get('idempotent-replay'),
    null,
  )
  assert.deepEqual(named('runner.send')[0]?.params.idempotency, { principal: 'admin', key: 'k', body: sha256(body) })
  const answer = { conversationId: message.conversationId, messageId: message.id, sessionId: session.id }
  const again = createTestUnit({ answers: { 'runner.send': () => ({ ...answer, replayed: true }) } })
  const replayed = await again.ask('POST', '/v1/ui/chat/send', { body, headers: { 'idempotency-key': 'k' } })
  assert.equal(replayed.headers.get('idempotent-replay'), 'true')
  assert.deepEqual(replayed.json(), answer)
})

test('refuses a message that is none', async () => {
  const { ask, named } = createTestUnit()
  const bodies = [
    { ...send, text: '' },
    { ...send, agentGroupID: 'Dev Agent' },
    { text: 'x' },
    { ...send, from: 'agent' },
    { ...send, text: 'x'.repeat(limits.messageText + 1) },
  ]
  for (const body of bodies) assert.equal((await ask('POST', '/v1/ui/chat/send', { body })).status, 422)
  assert.deepEqual(named('runner.send'), [])
})

test('neither sends nor reads for those who may not', async () => {
  const { ask, calls } = createTestUnit({ answers: refusingRoute('chat') })
  assert.equal((await ask('POST', '/v1/ui/chat/send', { body: send })).status, 403)
  assert.equal((await ask('GET', '/v1/ui/chat/dev-agent/messages')).status, 403)
  assert.ok(calls.every(({ name }) => name === 'gateway.permit'))
})

test('says what the runner says where no sandbox is launched', async () => {
  const { ask } = createTestUnit({
    boot: { sandbox: 'off' },
    answers: {
      'runner.send': () => {
        throw new ServiceError('no-sandbox')
      },
    },
  })
  const answer = await ask('POST', '/v1/ui/chat/send', { body: send })
  assert.equal(answer.status, 503)
  assert.equal(answer.json().code, 'no-sandbox')
})

test('reads messages after a sequence, of one conversation, up to a limit', async () => {
  const { ask, named } = createTestUnit()
  assert.deepEqual((await ask('GET', '/v1/ui/chat/dev-agent/messages')).json(), { messages: [message] })
  await ask('GET', '/v1/ui/chat/dev-agent/messages?after=0&limit=1&conversation=c:1')
  assert.deepEqual(
    named('runner.messages').map(({ params }) => params),
    [
      { agentGroupID: 'dev-agent', limit: limits.chatPage },
      { agentGroupID: 'dev-agent', after: 0, limit: 1, conversation: 'c:1' },
    ],
  )
})

test('refuses a query of messages that is none, and finds no group of a name that is none', async () => {
  const { ask } = createTestUnit()
  for (const query of ['after=-1', 'after=x', 'limit=0', 'limit=201', 'conversation=a/b', 'since=1']) {
    assert.equal((await ask('GET', `/v1/ui/chat/dev-agent/messages?${query}`)).status, 422, query)
  }
  assert.equal((await ask('GET', '/v1/ui/chat/Dev%20Agent/messages')).status, 404)
})

test('lists sessions for those who may see them', async () => {
  const { ask } = createTestUnit()
  assert.deepEqual((await ask('GET', '/v1/sessions')).json(), { items: [session] })
  const refused = createTestUnit({ answers: refusingRoute('sessions') })
  assert.equal((await refused.ask('GET', '/v1/sessions')).status, 403)
  assert.deepEqual(refused.named('runner.sessions'), [])
})

test('says unavailable while the runner is down', async () => {
  const down = (): never => {
    throw new ServiceError('unavailable')
  }
  const { ask } = createTestUnit({ answers: { 'runner.sessions': down, 'runner.send': down, 'runner.messages': down } })
  assert.equal((await ask('GET', '/v1/sessions')).status, 503)
  assert.equal((await ask('POST', '/v1/ui/chat/send', { body: send })).status, 503)
  assert.equal((await ask('GET', '/v1/ui/chat/dev-agent/messages')).status, 503)
})
