// What the gateway says counts at every moment: before a request is sent, and while its answer runs.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type AgentGroupID, ServiceError } from '@gatehouse/contracts'
import { openRecords, type Records } from '@gatehouse/journal'
import { join } from 'node:path'
import { waitFor } from '@gatehouse/kernel'
import { ask, type Bench, chatBody, createBench, group, patience, sessionTwo } from '../fixtures/bench.ts'
import { delta, type Reply, usual } from '../fixtures/provider.ts'

let bench: Bench
before(async () => {
  bench = await createBench()
  await bench.start()
})
beforeEach(() => {
  Object.assign(bench.gateway, {
    provider: 'openai',
    model: 'the-model',
    powers: [],
    frozen: false,
    isDown: false,
    tokensPerDay: undefined,
    onAuthorized: async () => undefined,
  })
  bench.provider.reply = usual
})
after(() => bench.stop())

const path = '/openai/v1/chat/completions'
const codeOf = (text: string): string | undefined => /"code":"([\w-]+)"/.exec(text)?.[1]

/** A stream that has begun and goes on until its connection ends. */
const running = async (body: object = {}) => {
  let isClosed = false
  const reply: Reply = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(delta('begun'))
    response.on('close', () => {
      isClosed = true
    })
  }
  bench.provider.reply = reply
  const begun = Promise.withResolvers<void>()
  const answer = bench.post(path, chatBody({ stream: true, ...body }), { onData: () => begun.resolve() })
  await begun.promise
  return { answer, isClosed: () => isClosed }
}

const tell = {
  group: (id: AgentGroupID = group) => bench.listeners.on['permissions-changed']?.({ agentGroupID: id }),
  freeze: () => bench.listeners.on['freeze-changed']?.({}),
}

test('a freeze ends a stream in the middle, at both ends, and refuses the next request', async () => {
  const { answer, isClosed } = await running()
  bench.gateway.frozen = true
  tell.freeze()
  assert.match((await answer).text, /begun[^]*"code":"frozen"/)
  await waitFor(isClosed, { what: 'the end of the request at the provider', deadline: patience })
  assert.equal((await bench.lastRecord()).code, 'frozen')
  const next = await bench.post(path, chatBody())
  assert.deepEqual([next.status, codeOf(next.text)], [503, 'frozen'])
})

const changes: [string, () => void, object?][] = [
  ['another model', () => (bench.gateway.model = 'other')],
  ['another provider', () => (bench.gateway.provider = 'groq')],
  ['a power less', () => (bench.gateway.powers = []), { store: true }],
  ['a limit that is spent', () => (bench.gateway.tokensPerDay = 0)],
]
for (const [what, change, body] of changes) {
  test(`an approved change to ${what} ends a stream that rests on the old permission`, async () => {
    bench.gateway.powers = ['stored_responses']
    const { answer } = await running(body)
    change()
    tell.group()
    assert.match((await answer).text, /begun[^]*"code":"revoked"/)
    assert.equal((await bench.lastRecord()).outcome, 'refused')
  })
}

test('a change that leaves the permission alone, or is of another group, ends nothing', async () => {
  const { answer, isClosed } = await running()
  bench.gateway.tokensPerDay = 1_000_000_000
  tell.group()
  bench.gateway.model = 'other'
  tell.group('another' as AgentGroupID)
  bench.gateway.model = 'the-model'
  tell.freeze()
  const next = await bench.post(path, chatBody({ n: 2 }))
  assert.equal(next.status, 403)
  assert.equal(isClosed(), false)
  bench.gateway.frozen = true
  tell.freeze()
  await answer
})

test('what is frozen while the answer of the gateway is on its way is not sent', async () => {
  const before = bench.provider.seen.length
  bench.gateway.onAuthorized = async () => {
    bench.gateway.frozen = true
    tell.freeze()
  }
  const { status, text } = await bench.post(path, chatBody())
  assert.deepEqual([status, codeOf(text)], [503, 'frozen'])
  assert.equal(bench.provider.seen.length, before)
})

test('without the gateway nothing is sent', async () => {
  const before = bench.provider.seen.length
  bench.gateway.isDown = true
  const { status, text, headers } = await bench.post(path, chatBody())
  assert.deepEqual([status, codeOf(text), headers['retry-after']], [503, 'unavailable', '1'])
  assert.equal(bench.provider.seen.length, before)
})

test('the session is the socket it came by, whatever a request says', async () => {
  await ask(bench.socket(sessionTwo), path, { body: chatBody(), headers: { 'x-gatehouse-session': 'ses_aaaaaaaaaaaaa' } })
  assert.equal(bench.gateway.asked.at(-1)?.session, sessionTwo)
  assert.equal((await bench.lastRecord()).session, sessionTwo)
})

test('a session that is closed has no socket any more, and its requests end', async () => {
  const own = await createBench()
  await own.start()
  own.provider.reply = (_seen, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('begun'))
  const begun = Promise.withResolvers<void>()
  const answer = own.post(path, chatBody({ stream: true }), { onData: () => begun.resolve() })
  await begun.promise
  own.listeners.on['session-closed']?.({ session: 'ses_aaaaaaaaaaaaa' as never })
  assert.equal((await answer).isCut, true)
  await assert.rejects(own.post(path, chatBody()))
  await own.stop()
})

test('what cannot be written down is not sent, and an answer whose record is lost has no end', async () => {
  const own = await createBench()
  const real = await openRecords({ path: join(own.directory, 'own.jsonl') })
  let isBroken = false
  const broken = (): never => {
    throw new ServiceError('audit-unwritable')
  }
  const records: Omit<Records, 'close'> = {
    unfinished: [],
    begin: (noted) => (isBroken ? broken() : real.begin(noted)),
    append: async (record) => (isBroken ? broken() : real.append(record)),
    read: (options) => real.read(options),
  }
  await own.start({ records })
  own.provider.reply = (seen, response) => {
    isBroken = true
    return usual(seen, response)
  }
  const lost = await own.post(path, chatBody({ stream: true }))
  assert.equal(lost.isCut, true)
  const seen = own.provider.seen.length
  const refused = await own.post(path, chatBody())
  assert.deepEqual([refused.status, codeOf(refused.text)], [503, 'audit-unwritable'])
  assert.equal(own.provider.seen.length, seen)
  isBroken = false
  own.provider.reply = usual
  await own.post(path, chatBody())
  assert.equal((await own.post(path, chatBody())).status, 200)
  await real.close()
  await own.stop()
})
