// The clients of Groq and Mistral, and OpenRouter's own additions.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Mistral } from '@mistralai/mistralai'
import Groq from 'groq-sdk'
import OpenAI from 'openai'
import { open, timeout } from './fixtures/provider.ts'

const parameters = { type: 'object', properties: { text: { type: 'string' } } }
const tools = [{ type: 'function' as const, function: { name: 'sample__echo', parameters } }]
const dialogue = 'call sample__echo {"text":"hi"}\n---\nsay It said: {result}'

describe("Groq's client", timeout, () => {
  it('streams a call and what came of it', async (t) => {
    const { address } = await open(t, dialogue)
    const groq = new Groq({ apiKey: 'any', baseURL: `${address}/groq`, maxRetries: 0 })
    const user = { role: 'user' as const, content: 'look' }
    let call: { id: string; args: string } | undefined
    let use = 0
    for await (const chunk of await groq.chat.completions.create({ model: 'llama', messages: [user], tools, stream: true })) {
      const [delta] = chunk.choices[0]?.delta.tool_calls ?? []
      if (delta !== undefined) call = { id: delta.id ?? '', args: delta.function?.arguments ?? '' }
      use = chunk.x_groq?.usage?.prompt_tokens ?? use
    }
    assert.equal(call?.args, '{"text":"hi"}')
    assert.ok(use > 1)
    const answered = await groq.chat.completions.create({
      model: 'llama',
      messages: [
        user,
        { role: 'assistant', tool_calls: [{ id: call.id, type: 'function', function: { name: 'sample__echo', arguments: call.args } }] },
        { role: 'tool', tool_call_id: call.id, content: 'hi' },
      ],
      tools,
    })
    assert.equal(answered.choices[0]?.message.content, 'It said: hi')
  })
})

describe("Mistral's client", timeout, () => {
  const connect = (address: string): Mistral => new Mistral({ apiKey: 'any', serverURL: `${address}/mistral` })

  it('streams a call and what came of it', async (t) => {
    const { address } = await open(t, dialogue)
    const user = { role: 'user' as const, content: 'look' }
    let call: { id: string; args: string } | undefined
    for await (const { data } of await connect(address).chat.stream({ model: 'mistral-large', messages: [user], tools })) {
      const [made] = data.choices[0]?.delta.toolCalls ?? []
      if (made !== undefined) call = { id: made.id ?? '', args: typeof made.function.arguments === 'string' ? made.function.arguments : '' }
    }
    assert.match(call?.id ?? '', /^[a-zA-Z0-9]{9}$/)
    const toolCalls = [{ id: call?.id ?? '', function: { name: 'sample__echo', arguments: call?.args ?? '' } }]
    const answered = await connect(address).chat.complete({
      model: 'mistral-large',
      messages: [user, { role: 'assistant', toolCalls }, { role: 'tool', toolCallId: call?.id ?? '', name: 'sample__echo', content: 'hi' }],
      tools,
    })
    assert.equal(answered.choices[0]?.message?.content, 'It said: hi')
  })

  it('is refused ids of another shape, a user after a tool, and fields that it does not know', async (t) => {
    const { address } = await open(t)
    const ask = async (body: object): Promise<string> => {
      const response = await fetch(`${address}/mistral/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'mistral-large', messages: [{ role: 'user', content: 'x' }], ...body }),
      })
      return `${response.status} ${await response.text()}`
    }
    const called = (id: string) => [
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [{ id, function: { name: 'a', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: 'x' },
    ]
    assert.match(await ask({ messages: called('call_123456') }), /^422 .*must be like/)
    assert.match(
      await ask({ messages: [...called('abcdefghi'), { role: 'user', content: 'x' }] }),
      /^400 .*Unexpected role 'user' after role 'tool'/,
    )
    assert.match(await ask({ stream: true, stream_options: {} }), /^422 .*"stream_options".*Extra inputs are not permitted/)
  })
})

describe('OpenRouter', timeout, () => {
  it('sends comments, thoughts and the name of whom it asked', async (t) => {
    const { address } = await open(t, 'think Let me see.\nsay hello')
    const client = new OpenAI({ baseURL: `${address}/openrouter/api/v1`, apiKey: 'any' })
    const chunks: unknown[] = []
    for await (const chunk of await client.chat.completions.create({
      model: 'a/b',
      messages: [{ role: 'user', content: 'x' }],
      stream: true,
    }))
      chunks.push(chunk)
    const all = JSON.stringify(chunks)
    assert.match(all, /"provider":"Scripted"/)
    assert.match(all, /"reasoning":"Let"/)
    const raw = await fetch(`${address}/openrouter/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer any' },
      body: JSON.stringify({ model: 'a/b', stream: true, messages: [{ role: 'user', content: 'x' }] }),
    })
    assert.match(await raw.text(), /^: OPENROUTER PROCESSING\n\n/)
  })
})
