// Anthropic's own client against the scripted provider.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { open, timeout } from './fixtures/provider.ts'

const tools = [
  {
    name: 'sample__echo',
    description: 'says it again',
    input_schema: { type: 'object' as const, properties: { text: { type: 'string' } } },
  },
]
const model = 'claude-scripted'

const client = (address: string): Anthropic => new Anthropic({ baseURL: `${address}/anthropic`, apiKey: 'any', maxRetries: 0 })

describe("Anthropic's client", timeout, () => {
  it('streams a dialogue with thoughts, two calls at once and their results', async (t) => {
    const { address } = await open(
      t,
      'think Let me see.\nsay I look.\ncall sample__echo {"text":"hi"}\ncall sample__echo {"text":"ho"}\n---\nsay They said: {result}',
    )
    const ask = { model, max_tokens: 100, tools, messages: [{ role: 'user' as const, content: 'look' }] }
    const first = await client(address).messages.stream(ask).finalMessage()
    assert.deepEqual(
      first.content.map(({ type }) => type),
      ['thinking', 'text', 'tool_use', 'tool_use'],
    )
    assert.equal(first.stop_reason, 'tool_use')
    const uses = first.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
    assert.deepEqual(
      uses.map(({ input }) => input),
      [{ text: 'hi' }, { text: 'ho' }],
    )
    const results = uses.map(({ id }, at) => ({ type: 'tool_result' as const, tool_use_id: id, content: `answer ${at}` }))
    const second = await client(address)
      .messages.stream({
        ...ask,
        messages: [...ask.messages, { role: 'assistant', content: first.content }, { role: 'user', content: results }],
      })
      .finalMessage()
    assert.deepEqual(second.content, [{ type: 'text', text: 'They said: answer 0\nanswer 1' }])
    assert.equal(second.stop_reason, 'end_turn')
    assert.ok(second.usage.input_tokens > 10 && second.usage.output_tokens > 1)
  })

  it('gets a whole answer where it does not stream', async (t) => {
    const { address } = await open(t)
    const message = await client(address).messages.create({
      model,
      max_tokens: 9,
      messages: [{ role: 'user', content: 'call sample__echo {"a":1}' }],
    })
    assert.deepEqual(message.content[0]?.type === 'tool_use' && message.content[0].input, { a: 1 })
  })

  it('tells faults apart', async (t) => {
    const { address } = await open(t)
    const ask = (text: string) => client(address).messages.create({ model, max_tokens: 9, messages: [{ role: 'user', content: text }] })
    await assert.rejects(ask('fault status 429 retry-after 7'), (error: unknown) => {
      assert.ok(error instanceof Anthropic.RateLimitError)
      assert.equal(error.headers.get('retry-after'), '7')
      assert.equal(error.type, 'rate_limit_error')
      return true
    })
    await assert.rejects(ask('fault status 529'), Anthropic.InternalServerError)
    await assert.rejects(ask('fault reset'), Anthropic.APIConnectionError)
    const streamed = (text: string) =>
      client(address)
        .messages.stream({ model, max_tokens: 9, messages: [{ role: 'user', content: text }] })
        .finalMessage()
    await assert.rejects(streamed('fault error-event after 3\nsay a b c'), /Overloaded/)
    await assert.rejects(streamed('fault reset after 3\nsay a b c'))
    await assert.rejects(streamed('fault malformed after 3\nsay a b c'))
  })

  it('is refused what the real one refuses', async (t) => {
    const { address } = await open(t)
    const use = { type: 'tool_use' as const, id: 'toolu_1', name: 'sample__echo', input: {} }
    const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'x' }
    const user = { role: 'user' as const, content: 'say hi' }
    const cases: [RegExp, object][] = [
      [/max_tokens: Field required/, { max_tokens: undefined }],
      [/at least one message/, { messages: [] }],
      [/'user' or 'assistant'/, { messages: [{ role: 'system', content: 'be good' }] }],
      [/first message must use the .+user.+ role/, { messages: [{ role: 'assistant', content: 'hi' }] }],
      [/must be non-empty/, { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }],
      [/without `tool_result` blocks immediately after: toolu_1/, { messages: [user, { role: 'assistant', content: [use] }, user] }],
      [/without `tool_result` blocks immediately after: toolu_1/, { messages: [user, { role: 'assistant', content: [use] }] }],
      [/unexpected `tool_use_id`/, { messages: [user, { role: 'assistant', content: 'x' }, { role: 'user', content: [result] }] }],
      [
        /must come first/,
        { messages: [user, { role: 'assistant', content: [use] }, { role: 'user', content: [{ type: 'text', text: 'a' }, result] }] },
      ],
      [/must define tools/, { tools: [], messages: [user, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }] }],
      [/Tool names must be unique/, { tools: [...tools, ...tools] }],
      [/Input should be 'object'/, { tools: [{ name: 'a', input_schema: { type: 'string' } }] }],
      [/should match pattern/, { tools: [{ name: 'a.b', input_schema: { type: 'object' } }] }],
      [/trailing whitespace/, { messages: [user, { role: 'assistant', content: 'so ' }] }],
      [/surprise/, { surprise: 1 }],
    ]
    for (const [why, change] of cases) {
      const body = { model, max_tokens: 9, tools, messages: [user], ...change } as Anthropic.MessageCreateParamsNonStreaming
      await assert.rejects(client(address).messages.create(body), (error: unknown) => {
        assert.ok(error instanceof Anthropic.BadRequestError)
        assert.match(error.message, why)
        return true
      })
    }
    await assert.rejects(
      new Anthropic({
        baseURL: `${address}/anthropic`,
        apiKey: '',
        authToken: null,
        maxRetries: 0,
        defaultHeaders: { 'x-api-key': '' },
      }).messages.create({ model, max_tokens: 9, messages: [user] }),
      Anthropic.AuthenticationError,
    )
  })
})
