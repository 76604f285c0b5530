// OpenAI's own client against the scripted provider: chat completions and responses.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import OpenAI from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { open, timeout } from './fixtures/provider.ts'

const parameters = { type: 'object', properties: { text: { type: 'string' } } }
const model = 'gpt-5.1'
const dialogue = 'say I look.\ncall sample__echo {"text":"hi"}\ncall sample__echo {"text":"ho"}\n---\nsay They said: {result}'

const client = (address: string): OpenAI => new OpenAI({ baseURL: `${address}/openai/v1`, apiKey: 'any', maxRetries: 0 })

describe("OpenAI's client over chat completions", timeout, () => {
  const tools = [{ type: 'function' as const, function: { name: 'sample__echo', parameters } }]

  it('streams a dialogue with two calls at once and their results', async (t) => {
    const { address } = await open(t, dialogue)
    const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'look' }]
    const ask = { model, tools, stream: true as const, stream_options: { include_usage: true } }
    const first = await client(address)
      .chat.completions.stream({ ...ask, messages })
      .finalChatCompletion()
    const message = first.choices[0]?.message
    const calls = (message?.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []))
    assert.deepEqual(
      calls.map((call) => call.function.arguments),
      ['{"text":"hi"}', '{"text":"ho"}'],
    )
    assert.equal(message?.content, 'I look.')
    messages.push({ role: 'assistant', content: message.content, tool_calls: calls })
    for (const [at, { id }] of calls.entries()) messages.push({ role: 'tool', tool_call_id: id, content: `answer ${at}` })
    const second = await client(address)
      .chat.completions.stream({ ...ask, messages })
      .finalChatCompletion()
    assert.equal(second.choices[0]?.message.content, 'They said: answer 0\nanswer 1')
    assert.ok((second.usage?.prompt_tokens ?? 0) > 10)
  })

  it('tells faults apart', async (t) => {
    const { address } = await open(t)
    const ask = (content: string) => client(address).chat.completions.create({ model, messages: [{ role: 'user', content }] })
    await assert.rejects(ask('fault status 429 retry-after 3'), (error: unknown) => {
      assert.ok(error instanceof OpenAI.RateLimitError)
      assert.equal(error.headers.get('retry-after'), '3')
      return true
    })
    await assert.rejects(ask('fault status 500'), OpenAI.InternalServerError)
    await assert.rejects(ask('fault reset'), OpenAI.APIConnectionError)
    const streamed = (content: string) =>
      client(address)
        .chat.completions.stream({ model, messages: [{ role: 'user', content }] })
        .finalChatCompletion()
    await assert.rejects(streamed('fault error-event after 2\nsay a b c'), /overloaded/)
    await assert.rejects(streamed('fault end after 2\nsay a b c'))
  })

  it('does a fault as often as the script says, and then goes well', async (t) => {
    const { address, requests } = await open(t)
    const ask = () =>
      client(address).chat.completions.create({ model, messages: [{ role: 'user', content: 'fault status 500 times 2\nsay well' }] })
    await assert.rejects(ask())
    await assert.rejects(ask())
    assert.equal((await ask()).choices[0]?.message.content, 'well')
    assert.equal(requests.length, 3)
  })

  it('is refused what the real one refuses', async (t) => {
    const { address } = await open(t)
    const user = { role: 'user', content: 'say hi' }
    const call = { id: 'call_1', type: 'function', function: { name: 'sample__echo', arguments: '{}' } }
    const result = { role: 'tool', tool_call_id: 'call_1', content: 'x' }
    const cases: [RegExp, object][] = [
      [/minimum length 1/, { messages: [] }],
      [/did not have response messages: call_1/, { messages: [user, { role: 'assistant', tool_calls: [call] }, user] }],
      [/must be a response to a preceeding message/, { messages: [user, result] }],
      [/Invalid value: 'model'/, { messages: [{ role: 'model', content: 'x' }] }],
      [/'\^\[a-zA-Z0-9_-\]\+\$'/, { tools: [{ type: 'function', function: { name: 'a.b' } }] }],
      [/of type: "object"/, { tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'string' } } }] }],
      [/Unrecognized request argument supplied: surprise/, { surprise: 1 }],
      [/only allowed when 'tools'/, { tool_choice: 'auto' }],
      [/only allowed when 'stream'/, { stream_options: { include_usage: true } }],
    ]
    for (const [why, change] of cases) {
      const body = { model, messages: [user], ...change } as OpenAI.ChatCompletionCreateParamsNonStreaming
      await assert.rejects(client(address).chat.completions.create(body), why)
    }
    const withoutKey = await fetch(`${address}/v1/chat/completions`, { method: 'POST', body: '{}' })
    assert.equal(withoutKey.status, 401)
  })
})

describe("OpenAI's client over responses", timeout, () => {
  const tools = [{ type: 'function' as const, name: 'sample__echo', parameters, strict: false }]

  it('streams a dialogue with thoughts, calls and their results', async (t) => {
    const { address } = await open(t, `think Let me see.\n${dialogue}`)
    const input: ResponseInputItem[] = [{ role: 'user', content: 'look' }]
    const ask = { model, tools, store: false, include: ['reasoning.encrypted_content' as const] }
    const first = await client(address)
      .responses.stream({ ...ask, input })
      .finalResponse()
    assert.deepEqual(
      first.output.map(({ type }) => type),
      ['reasoning', 'message', 'function_call', 'function_call'],
    )
    for (const item of first.output)
      if (item.type === 'reasoning' || item.type === 'message' || item.type === 'function_call') input.push(item)
    for (const item of first.output)
      if (item.type === 'function_call')
        input.push({ type: 'function_call_output', call_id: item.call_id, output: `got ${item.arguments}` })
    const second = await client(address)
      .responses.stream({ ...ask, input })
      .finalResponse()
    assert.equal(second.output_text, 'They said: got {"text":"hi"}\ngot {"text":"ho"}')
    assert.ok((second.usage?.output_tokens ?? 0) > 1)
  })

  it('calls a tool of a namespace by its namespace and its name in it', async (t) => {
    const { address } = await open(t, 'call mcp__unit__sample__echo {"text":"hi"}')
    const body = { model, input: 'go on', client_metadata: {}, tools: [{ type: 'namespace', name: 'mcp__unit', description: '', tools }] }
    const { output } = await client(address).responses.create(body as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming)
    const [call] = output as unknown as { namespace: string; name: string }[]
    assert.deepEqual([call?.namespace, call?.name], ['mcp__unit', 'sample__echo'])
  })

  it('gets a whole answer, and one that was cut by the limit', async (t) => {
    const { address } = await open(t)
    const whole = await client(address).responses.create({ model, input: 'say hello' })
    assert.equal(whole.output_text, 'hello')
    const cut = await client(address).responses.create({ model, input: 'stop length\nsay hel' })
    assert.equal(cut.status, 'incomplete')
  })

  it('is refused what the real one refuses', async (t) => {
    const { address } = await open(t)
    const call = { type: 'function_call', call_id: 'call_1', name: 'sample__echo', arguments: '{}' }
    const cases: [RegExp, object][] = [
      [/No tool output found for function call call_1/, { input: [{ role: 'user', content: 'x' }, call] }],
      [/No tool call found/, { input: [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }] }],
      [/not persisted/, { input: [{ type: 'item_reference', id: 'msg_1' }] }],
      [/Previous response/, { input: 'x', previous_response_id: 'resp_1' }],
      [
        /required following item/,
        {
          input: [
            { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
            { role: 'user', content: 'x' },
          ],
        },
      ],
      [/must be provided/, { input: [] }],
    ]
    for (const [why, body] of cases)
      await assert.rejects(client(address).responses.create({ model, ...body } as OpenAI.Responses.ResponseCreateParamsNonStreaming), why)
  })
})
