// What providers do wrong, and what an agent is told of it. Nothing is asked twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { chatBody, createBench, keyOf, messagesBody, openTestBench, patience } from '../fixtures/bench.ts'
import { chatStream, delta, event, json, type Reply, stream } from '../fixtures/provider.ts'

const bench = await openTestBench()

const path = '/openai/v1/chat/completions'
const asStream = chatBody({ stream: true })

interface Told {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

const askedOf = async (reply: Reply, body: unknown = asStream): Promise<Told> => {
  const before = bench.provider.seen.length
  bench.provider.reply = reply
  const { status, text, headers } = await bench.post(path, body)
  assert.equal(bench.provider.seen.length, before + 1, 'the provider is asked once')
  const { error } = JSON.parse(text) as { error: { code: string; message: string } }
  return { status, headers, ...error }
}

const failing = (status: number, headers: Record<string, string> = {}): Reply =>
  json({ error: { message: 'slow down', type: 'x' } }, status, headers)

test('passes 429 on, with when to come back', async () => {
  const told = await askedOf(
    failing(429, { 'retry-after': '7', 'retry-after-ms': '7000', 'set-cookie': 'a=b', 'openai-organization': 'org' }),
  )
  assert.deepEqual([told.status, told.code], [429, 'rate-limited'])
  assert.deepEqual([told.headers['retry-after'], told.headers['retry-after-ms']], ['7', '7000'])
  assert.match(told.message, /slow down/)
  assert.deepEqual([told.headers['set-cookie'], told.headers['openai-organization']], [undefined, undefined])
  const record = await bench.lastRecord()
  assert.deepEqual([record.outcome, record.code, record.status, record.tokensIn, record.tokensOut], ['error', 'rate-limited', 429, 0, 0])
})

for (const status of [400, 404, 413, 500, 503, 529]) {
  test(`passes ${status} on as the provider's own`, async () => {
    const told = await askedOf(failing(status))
    assert.deepEqual([told.status, told.code], [status, 'provider-error'])
    assert.match(told.message, new RegExp(`${status}: slow down`))
  })
}

for (const status of [401, 403]) {
  test(`tells an agent that the unit's key was refused (${status}), and nothing that the provider says of it`, async () => {
    const told = await askedOf(json({ error: { message: `Incorrect API key provided: ${keyOf('openai').slice(0, 12)}…` } }, status))
    assert.deepEqual([told.status, told.code], [502, 'provider-refused'])
    assert.doesNotMatch(told.message, /Incorrect|sk-/)
  })
}

test('follows no redirect', async () => {
  const told = await askedOf(json({}, 307, { location: `${bench.provider.origin}/elsewhere` }))
  assert.deepEqual([told.status, told.code], [502, 'provider-error'])
})

test('refuses a wrong media type, a whole answer for a stream, a stream for a whole answer, and what is compressed', async () => {
  const html: Reply = (_seen, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>')
  const zipped: Reply = (_seen, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end('x')
  for (const [reply, body] of [
    [html, asStream],
    [json({}), asStream],
    [chatStream('a'), chatBody()],
    [zipped, asStream],
  ] as const) {
    const told = await askedOf(reply, body)
    assert.deepEqual([told.status, told.code], [502, 'provider-malformed'])
  }
})

test('refuses a whole answer that is no JSON, and one without an end', async () => {
  const broken: Reply = (_seen, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":')
  const endless: Reply = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = (): void => {
      while (!response.destroyed && response.write(' '.repeat(256 * 1024)));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  }
  for (const reply of [broken, endless]) assert.equal((await askedOf(reply, chatBody())).code, 'provider-malformed')
})

test('gives up a provider that is silent, before its answer and in the middle of one', async (t) => {
  const quiet = await createBench()
  await quiet.start({ idleTime: 2_000 })
  t.after(() => quiet.stop())
  quiet.provider.reply = (seen, response) => {
    if (seen.body['stream'] !== true) return
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(delta('hello'))
  }
  const [before, within] = await Promise.all([quiet.post(path, chatBody()), quiet.post(path, asStream)])
  assert.equal(before.status, 504)
  assert.match(before.text, /"code":"provider-timeout"/)
  assert.match(within.text, /hello[^]*data: {"error":{"type":"provider-timeout"/)
  assert.deepEqual(
    (await quiet.records()).map(({ outcome }) => outcome),
    ['timeout', 'timeout'],
  )
})

test('says that the connection failed where there was no answer', async () => {
  const told = await askedOf((_seen, response) => void response.destroy())
  assert.deepEqual([told.status, told.code], [502, 'provider-unreachable'])
})

const streamed = async (reply: Reply): Promise<{ text: string; isCut: boolean; code: string | undefined }> => {
  bench.provider.reply = reply
  const { status, text, isCut } = await bench.post(path, asStream)
  assert.equal(status, 200)
  return { text, isCut, code: (await bench.lastRecord()).code }
}

test('reports a reset stream or an endless line in the format of the client', async () => {
  const begun =
    (then: (response: Parameters<Reply>[1]) => void): Reply =>
    (_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(delta('hello'), () => then(response))
    }
  const reset = await streamed(begun((response) => void setImmediate(() => response.socket?.resetAndDestroy())))
  assert.match(reset.text, /hello[^]*data: {"error":{"type":"provider-unreachable"/)
  assert.equal(reset.code, 'provider-unreachable')
  const endless = await streamed(
    begun((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(256 * 1024)));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    }),
  )
  assert.equal(endless.code, 'provider-malformed')
  assert.equal(endless.isCut, true, 'in the middle of an event nothing can be told')
})

test('hands malformed events on as they are, and reckons what they took', async () => {
  const { text, code } = await streamed(stream('data: {"choices": [\n\n', ': comment\n\n', delta('after'), 'data: [DONE]\n\n'))
  assert.equal(code, undefined)
  assert.equal(text, `data: {"choices": [\n\n: comment\n\n${delta('after')}data: [DONE]\n\n`)
  const record = await bench.lastRecord()
  assert.equal(record.estimated, true)
  assert.ok(record.tokensOut > 0)
})

test('speaks of a failure as Anthropic does where that format is spoken', async () => {
  bench.gateway.provider = 'anthropic'
  bench.provider.reply = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event({ type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } }, 'message_start'), () =>
      setImmediate(() => response.socket?.resetAndDestroy()),
    )
  }
  const { text } = await bench.post('/anthropic/v1/messages', messagesBody({ stream: true }))
  assert.match(text, /event: error\ndata: {"type":"error","error":{"type":"provider-unreachable"/)
  assert.equal((await bench.lastRecord()).tokensIn, 5)
})

test('hands each event on before the next one is there, and stops reading what the agent does not take', async () => {
  const gate = Promise.withResolvers<void>()
  bench.provider.reply = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(delta('first'))
    void gate.promise.then(() => response.end(delta('second')))
  }
  const heard: string[] = []
  const answered = bench.post(path, asStream, {
    onData: (text) => {
      heard.push(text)
      gate.resolve()
    },
  })
  await answered
  assert.match(heard[0] ?? '', /first/)
  assert.doesNotMatch(heard[0] ?? '', /second/)
})

test('ends its request at the provider when the agent goes away', async () => {
  let isClosed = false
  bench.provider.reply = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(delta('first'))
    response.on('close', () => {
      isClosed = true
    })
  }
  const controller = new AbortController()
  const before = (await bench.records()).length
  await assert.rejects(
    bench.post(path, asStream, { signal: controller.signal, onData: () => controller.abort() }).then(({ isCut }) => assert.ok(!isCut)),
  )
  await waitFor(() => isClosed, { what: 'the end of the request at the provider', deadline: patience })
  const records = await bench.settledRecords(before + 1)
  assert.equal(records.at(-1)?.outcome, 'cancelled')
  assert.ok((records.at(-1)?.tokensIn ?? 0) > 0)
})
