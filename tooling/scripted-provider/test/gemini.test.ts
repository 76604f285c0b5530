// Google's own client against the scripted provider.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError, type Content, type Part, GoogleGenAI } from '@google/genai'
import { open, timeout } from './fixtures/provider.ts'

const model = 'gemini-3-pro'
const tools = [
  { functionDeclarations: [{ name: 'sample__echo', parametersJsonSchema: { type: 'object', properties: { text: { type: 'string' } } } }] },
]

const client = (address: string): GoogleGenAI => new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: `${address}/gemini` } })

const streamed = async (address: string, contents: Content[]): Promise<Part[]> => {
  const parts: Part[] = []
  for await (const chunk of await client(address).models.generateContentStream({ model, contents, config: { tools } }))
    parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []))
  return parts.filter(({ text }) => text !== '')
}

describe("Google's client", timeout, () => {
  it('streams a dialogue with thoughts, two calls at once and their results', async (t) => {
    const { address } = await open(
      t,
      'think Let me see.\nsay I look.\ncall sample__echo {"text":"hi"}\ncall sample__echo {"text":"ho"}\n---\nsay They said: {result}',
    )
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'look' }] }]
    const first = await streamed(address, contents)
    const calls = first.flatMap(({ functionCall }) => functionCall ?? [])
    assert.deepEqual(
      calls.map(({ args }) => args),
      [{ text: 'hi' }, { text: 'ho' }],
    )
    contents.push(
      { role: 'model', parts: first },
      {
        role: 'user',
        parts: calls.map(({ name }, at) => ({ functionResponse: { name: name ?? '', response: { output: `answer ${at}` } } })),
      },
    )
    const second = await streamed(address, contents)
    assert.equal(second.map(({ text }) => text).join(''), 'They said: answer 0\nanswer 1')
  })

  it('gets a whole answer with its use', async (t) => {
    const { address } = await open(t)
    const answer = await client(address).models.generateContent({ model, contents: 'say hello' })
    assert.equal(answer.text, 'hello')
    assert.ok((answer.usageMetadata?.promptTokenCount ?? 0) > 1)
  })

  it('is refused what the real one refuses', async (t) => {
    const { address } = await open(t)
    const user = { role: 'user', parts: [{ text: 'say hi' }] }
    const call = { functionCall: { name: 'sample__echo', args: {} }, thoughtSignature: 'eA==' }
    const answer = { functionResponse: { name: 'sample__echo', response: {} } }
    const cases: [RegExp, Content[]][] = [
      [/number of function response parts/, [user, { role: 'model', parts: [call] }, user]],
      [/function response turn comes immediately after/, [user, { role: 'user', parts: [answer] }]],
      [
        /function call turn comes immediately after/,
        [
          { role: 'model', parts: [call] },
          { role: 'user', parts: [answer] },
        ],
      ],
      [
        /missing a thought_signature/,
        [user, { role: 'model', parts: [{ functionCall: call.functionCall }] }, { role: 'user', parts: [answer] }],
      ],
      [/valid role/, [{ role: 'assistant', parts: [{ text: 'x' }] }]],
      [/must not be empty/, [{ role: 'user', parts: [] }]],
    ]
    for (const [why, contents] of cases) await assert.rejects(client(address).models.generateContent({ model, contents }), why)
    const parameters = { type: 'object', additionalProperties: false }
    const strange = await fetch(`${address}/gemini/v1beta/models/${model}:generateContent?key=any`, {
      method: 'POST',
      body: JSON.stringify({ contents: [user], tools: [{ functionDeclarations: [{ name: 'a', parameters }] }] }),
    })
    assert.match(await strange.text(), /Unknown name ."additionalProperties."/)
    await assert.rejects(
      client(address).models.generateContent({ model, contents: 'fault status 429' }),
      (error: unknown) => error instanceof ApiError && error.status === 429,
    )
  })
})
