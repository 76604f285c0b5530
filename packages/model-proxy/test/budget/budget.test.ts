// Tokens a day: reserved before a request is sent, settled after; neither parallel requests nor hanging up gets around it.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import {
  type Bench,
  chatBody,
  createBench,
  geminiBody,
  group,
  type HttpAnswer,
  messagesBody,
  patience,
  responsesBody,
} from '../fixtures/bench.ts'
import { delta, json, type Reply, usual } from '../fixtures/provider.ts'

let bench: Bench
let now = Date.parse('2026-03-01T10:00:00Z')
before(async () => {
  bench = await createBench()
  await bench.start({ clock: () => now })
})
/** Each test has a day of its own. */
beforeEach(() => {
  now += 24 * 60 * 60_000
  bench.gateway.provider = 'openai'
  bench.gateway.tokensPerDay = undefined
  bench.provider.reply = usual
})
after(() => bench.stop())

const path = '/openai/v1/chat/completions'
const post = (more: object = {}): Promise<HttpAnswer> => bench.post(path, chatBody(more))
const codeOf = ({ text }: HttpAnswer): string => (JSON.parse(text) as { error: { code: string } }).error.code
const spending = async () =>
  (
    await bench.proxy.controlPlane.providers({}, { requestId: '', traceparent: undefined, signal: new AbortController().signal })
  ).spending.find(({ agentGroupID }) => agentGroupID === group)

const limitReached = async (): Promise<number> => {
  const metrics = (await bench.metrics.json()) as { name: string; values: { labels: { limit: string }; value: number }[] }[]
  const metric = metrics.find(({ name }) => name === 'gatehouse_group_limit_reached_total')
  return metric?.values.find(({ labels }) => labels.limit === 'modelTokensPerDay')?.value ?? NaN
}

test('what a request took is counted, and the next one that does not fit is refused until the day is over', async () => {
  bench.gateway.tokensPerDay = 160
  assert.equal((await post({ max_tokens: 50 })).status, 200)
  assert.deepEqual(await spending(), { agentGroupID: group, tokens: 18, reserved: 0 })
  const before = await limitReached()
  const refused = await post({ max_tokens: 130 })
  assert.equal(refused.status, 403)
  assert.equal(await limitReached(), before + 1)
  assert.equal(codeOf(refused), 'budget-exhausted')
  assert.match(refused.text, /modelTokensPerDay/)
  assert.equal((await post({ max_tokens: 100 })).status, 200)
  now += 24 * 60 * 60_000
  assert.equal((await post({ max_tokens: 130 })).status, 200)
})

test('a request for more tokens than any answer has reaches nobody and leaves the counts as they are, in every format', async () => {
  const asks = [
    ['openai', path, chatBody({ max_tokens: 1e308 })],
    ['openai', path, chatBody({ max_tokens: 50, max_completion_tokens: 1e308 })],
    ['openai', '/openai/v1/responses', responsesBody({ max_output_tokens: 1e308 })],
    ['anthropic', '/anthropic/v1/messages', { ...messagesBody(), max_tokens: limits.modelTokens + 1 }],
    ['gemini', '/gemini/v1beta/models/the-model:generateContent', geminiBody({ generationConfig: { maxOutputTokens: 1e16 } })],
  ] as const
  const asked = bench.provider.seen.length
  for (const [provider, at, body] of asks) {
    bench.gateway.provider = provider
    const refused = await bench.post(at, body)
    assert.equal(codeOf(refused), 'field-refused')
    assert.match(refused.text, /expected a number of at most 10000000/)
  }
  assert.equal(bench.provider.seen.length, asked)
  const { tokens, reserved } = (await spending()) ?? { tokens: 0, reserved: 0 }
  assert.deepEqual([tokens, reserved], [0, 0])
})

test('a count of a provider that cannot be one is none', async () => {
  bench.provider.reply = json({ choices: [], usage: { prompt_tokens: 1e308, completion_tokens: 1e308 } })
  assert.equal((await post({ max_tokens: 50 })).status, 200)
  assert.ok(((await spending())?.tokens ?? Infinity) < 1000)
})

test('a request that names no most is given what is left, in the field of its format', async () => {
  bench.gateway.tokensPerDay = 1000
  const asks = [
    ['openai', path, chatBody(), 'max_tokens'],
    ['openai', '/openai/v1/responses', responsesBody(), 'max_output_tokens'],
    ['gemini', '/gemini/v1beta/models/the-model:generateContent', geminiBody(), 'generationConfig'],
  ] as const
  for (const [provider, at, body, field] of asks) {
    bench.gateway.provider = provider
    assert.equal((await bench.post(at, body)).status, 200)
    const set = bench.provider.seen.at(-1)?.body[field]
    const most = typeof set === 'number' ? set : (set as { maxOutputTokens: number }).maxOutputTokens
    assert.ok(most > 500 && most < 1000, `${field}: ${most}`)
  }
  bench.gateway.tokensPerDay = undefined
  await post()
  assert.equal('max_tokens' in (bench.provider.seen.at(-1)?.body ?? {}), false)
})

test('requests at the same time cannot share what is left', async () => {
  bench.gateway.tokensPerDay = 250
  const gate = Promise.withResolvers<void>()
  bench.provider.reply = async (seen, response) => {
    await gate.promise
    return usual(seen, response)
  }
  const before = bench.provider.seen.length
  const answers = Array.from({ length: 4 }, () => post({ max_tokens: 100 }))
  const refused: string[] = []
  for (const answer of answers) void answer.then((given) => given.status === 403 && refused.push(codeOf(given)))
  await waitFor(() => refused.length === 2 && bench.provider.seen.length === before + 2, { what: 'two refusals', deadline: patience })
  assert.ok(((await spending())?.reserved ?? 0) > 200)
  gate.resolve()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 200, 403, 403],
  )
  assert.deepEqual(await spending(), { agentGroupID: group, tokens: 36, reserved: 0 })
})

const begun: Reply = (_seen, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let at = 0; at < 20; at++) response.write(delta(`a piece of the answer, number ${at}`))
}

test('a stream that is hung up on is not free', async () => {
  bench.gateway.tokensPerDay = 100_000
  bench.provider.reply = begun
  const count = (await bench.records()).length
  const controller = new AbortController()
  await bench
    .post(path, chatBody({ stream: true, max_tokens: 40 }), { signal: controller.signal, onData: () => controller.abort() })
    .catch(() => undefined)
  const record = (await bench.settledRecords(count + 1)).at(-1)
  assert.deepEqual([record?.outcome, record?.estimated], ['cancelled', true])
  assert.ok((record?.tokensIn ?? 0) > 0 && (record?.tokensOut ?? 0) > 0 && (record?.tokensOut ?? 0) <= 40)
  const { tokens, reserved } = (await spending()) ?? { tokens: 0, reserved: 1 }
  assert.deepEqual([tokens, reserved], [(record?.tokensIn ?? 0) + (record?.tokensOut ?? 0), 0])
})

test('a request that is given up before its answer began costs all that was reserved', async () => {
  bench.gateway.tokensPerDay = 100_000
  const asked = Promise.withResolvers<void>()
  bench.provider.reply = () => asked.resolve()
  const count = (await bench.records()).length
  const controller = new AbortController()
  const answer = bench.post(path, chatBody({ max_tokens: 777 }), { signal: controller.signal }).catch(() => undefined)
  await asked.promise
  controller.abort()
  await answer
  const record = (await bench.settledRecords(count + 1)).at(-1)
  assert.deepEqual([record?.outcome, record?.tokensOut], ['cancelled', 777])
})

test('what was refused, and what a provider failed, is free', async () => {
  bench.gateway.tokensPerDay = 100_000
  await post({ plugins: [] })
  bench.provider.reply = (_seen, response) => void response.writeHead(500, { 'content-type': 'application/json' }).end('{}')
  await post()
  assert.deepEqual((await spending())?.tokens ?? 0, 0)
})

test('a fifth request of a session at the same time waits for none: it is told to come back', async () => {
  const gate = Promise.withResolvers<void>()
  bench.provider.reply = async (seen, response) => {
    await gate.promise
    return usual(seen, response)
  }
  const before = bench.provider.seen.length
  const four = Array.from({ length: 4 }, () => post())
  await waitFor(() => bench.provider.seen.length === before + 4, { what: 'four requests', deadline: patience })
  const fifth = await post()
  assert.deepEqual([fifth.status, codeOf(fifth), fifth.headers['retry-after']], [429, 'busy', '1'])
  gate.resolve()
  await Promise.all(four)
  assert.equal((await post()).status, 200)
})

test('a budget of Anthropic messages counts what caches gave and took', async () => {
  bench.gateway.provider = 'anthropic'
  bench.gateway.tokensPerDay = 1_000
  await bench.post('/anthropic/v1/messages', messagesBody({ stream: true }))
  assert.equal((await spending())?.tokens, 18)
})
