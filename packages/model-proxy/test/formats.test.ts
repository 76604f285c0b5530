// Every provider in each of its formats, as a whole and as a stream: what reaches it, what comes back, what is written down.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Bench, chatBody, createBench, geminiBody, keyOf, messagesBody, responsesBody } from './fixtures/bench.ts'

let bench: Bench
before(async () => {
  bench = await createBench()
  await bench.start()
})
after(() => bench.stop())

interface Way {
  readonly provider: string
  readonly path: string
  readonly target: string
  readonly body: Record<string, unknown>
  readonly streams?: boolean
  readonly header?: readonly [string, string]
}

const bearer = (name: string): readonly [string, string] => ['authorization', `Bearer ${keyOf(name)}`]
const chatAt = (provider: string, target: string): Way => ({
  provider,
  path: '/v1/chat/completions',
  target,
  body: chatBody(),
  header: bearer(provider),
})

const ways: Way[] = [
  { provider: 'anthropic', path: '/v1/messages', target: '/v1/messages', body: messagesBody(), header: ['x-api-key', keyOf('anthropic')] },
  {
    provider: 'anthropic',
    path: '/v1/messages?beta=true',
    target: '/v1/messages?beta=true',
    body: messagesBody(),
    header: ['anthropic-version', '2023-06-01'],
  },
  chatAt('openai', '/v1/chat/completions'),
  { provider: 'openai', path: '/v1/responses', target: '/v1/responses', body: responsesBody(), header: bearer('openai') },
  {
    provider: 'gemini',
    path: '/v1beta/models/the-model:generateContent',
    target: '/v1beta/models/the-model:generateContent',
    body: geminiBody(),
    streams: false,
    header: ['x-goog-api-key', keyOf('gemini')],
  },
  {
    provider: 'gemini',
    path: '/v1beta/models/the-model:streamGenerateContent?alt=sse',
    target: '/v1beta/models/the-model:streamGenerateContent?alt=sse',
    body: geminiBody(),
    streams: true,
  },
  chatAt('gemini', '/v1beta/openai/chat/completions'),
  chatAt('openrouter', '/api/v1/chat/completions'),
  chatAt('groq', '/openai/v1/chat/completions'),
  chatAt('mistral', '/v1/chat/completions'),
  chatAt('compatible', '/own/v1/chat/completions'),
  { provider: 'compatible', path: '/v1/responses', target: '/own/v1/responses', body: responsesBody() },
  {
    provider: 'compatible',
    path: '/v1/messages',
    target: '/own/v1/messages',
    body: messagesBody(),
    header: ['x-api-key', keyOf('compatible')],
  },
]

for (const way of ways) {
  for (const streams of way.streams === undefined ? [false, true] : [way.streams]) {
    test(`${way.provider}${way.path} ${streams ? 'streams' : 'answers'}, counted and with the unit's own key`, async () => {
      bench.gateway.provider = way.provider
      const body = streams && way.streams === undefined ? { ...way.body, stream: true } : way.body
      const answer = await bench.post(`/${way.provider}${way.path}`, body, {
        headers: {
          authorization: 'Bearer stolen',
          'x-api-key': 'stolen',
          cookie: 'a=b',
          'x-anything': 'else',
          'openai-organization': 'other',
        },
      })
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.text, /hel/)
      assert.equal(answer.headers['content-type'], streams ? 'text/event-stream' : 'application/json')
      const seen = bench.provider.seen.at(-1)
      assert.equal(seen?.url, way.target)
      assert.equal(seen?.headers['accept-encoding'], 'identity')
      for (const gone of ['cookie', 'x-anything', 'openai-organization']) assert.equal(seen?.headers[gone], undefined)
      assert.doesNotMatch(JSON.stringify(seen?.headers), /stolen/)
      if (way.header !== undefined) assert.equal(seen?.headers[way.header[0]], way.header[1])
      const { tokensIn, tokensOut, outcome, status, estimated } = await bench.lastRecord()
      assert.deepEqual(
        { tokensIn, tokensOut, outcome, status, estimated },
        { tokensIn: 11, tokensOut: 7, outcome: 'ok', status: 200, estimated: undefined },
      )
    })
  }
}

test('asks a stream of chat completions for its count, and keeps nothing at the provider of responses', async () => {
  bench.gateway.provider = 'openai'
  await bench.post('/openai/v1/chat/completions', chatBody({ stream: true, stream_options: { include_usage: false } }))
  assert.deepEqual(bench.provider.seen.at(-1)?.body['stream_options'], { include_usage: true })
  await bench.post('/openai/v1/responses', responsesBody())
  assert.equal(bench.provider.seen.at(-1)?.body['store'], false)
})

test('takes whole requests of agents: tools, images, results, schemas', async () => {
  bench.gateway.provider = 'anthropic'
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
  const anthropic = messagesBody({
    system: [{ type: 'text', text: 'be brief' }],
    tools: [
      {
        name: 'echo',
        description: 'says it again',
        input_schema: { type: 'object', properties: { source: { type: 'url' } } },
        eager_input_streaming: true,
      },
    ],
    tool_choice: { type: 'auto' },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'tool_use', id: 't', name: 'echo', input: { url: 'https://x', mcp_servers: [] } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'ok' }, image], is_error: true }],
      },
    ],
  })
  const sent = await bench.post('/anthropic/v1/messages', anthropic, {
    headers: { 'anthropic-beta': 'structured-outputs-2025-11-13, mcp-client-2025-04-04' },
  })
  assert.equal(sent.status, 200, sent.text)
  assert.equal(bench.provider.seen.at(-1)?.headers['anthropic-beta'], 'structured-outputs-2025-11-13')
  assert.deepEqual(bench.provider.seen.at(-1)?.body, anthropic)

  bench.gateway.provider = 'openai'
  const chat = chatBody({
    tools: [{ type: 'function', function: { name: 'echo', parameters: { type: 'object' }, strict: false } }],
    tool_choice: { type: 'function', function: { name: 'echo' } },
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' }, strict: true } },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [{ id: 't', type: 'function', function: { name: 'echo', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 't', content: 'ok' },
    ],
  })
  assert.equal((await bench.post('/openai/v1/chat/completions', chat)).status, 200)
  assert.deepEqual(bench.provider.seen.at(-1)?.body, chat)

  const responses = responsesBody({
    store: false,
    include: ['reasoning.encrypted_content'],
    tools: [{ type: 'function', name: 'echo', parameters: { type: 'object' }, strict: true }],
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' },
      { type: 'function_call', call_id: 't', name: 'echo', arguments: '{}' },
      { type: 'function_call_output', call_id: 't', output: 'ok' },
    ],
  })
  assert.equal((await bench.post('/openai/v1/responses', responses)).status, 200)

  bench.gateway.provider = 'gemini'
  const gemini = geminiBody({
    systemInstruction: { parts: [{ text: 'be brief' }] },
    tools: [{ functionDeclarations: [{ name: 'echo', parameters: { type: 'object' } }] }],
    toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    generationConfig: { maxOutputTokens: 5, thinkingConfig: { thinkingBudget: 1 } },
    contents: [
      { role: 'user', parts: [{ text: 'look' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      { role: 'model', parts: [{ functionCall: { name: 'echo', args: {} }, thoughtSignature: 's' }] },
      { role: 'user', parts: [{ functionResponse: { name: 'echo', response: { ok: true } } }] },
    ],
  })
  assert.equal((await bench.post('/gemini/v1beta/models/the-model:generateContent', gemini)).status, 200)
})
