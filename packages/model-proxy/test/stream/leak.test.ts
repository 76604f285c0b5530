// A provider that tells the key: whole, cut by the network, escaped, or piece by piece over events. The agent never gets it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fc } from '@gatehouse/testkit/random'
import { chat } from '../../src/formats/chat.ts'
import { messages } from '../../src/formats/messages.ts'
import { StreamWatch } from '../../src/stream/watch.ts'
import { type Bench, chatBody, createBench, keyOf, messagesBody } from '../fixtures/bench.ts'
import { chatStream, delta, event, json, type Reply, usual } from '../fixtures/provider.ts'

let bench: Bench
before(async () => {
  bench = await createBench()
  await bench.start()
})
after(() => bench.stop())

const key = keyOf('openai')
const ask = async (reply: Reply, body: unknown = chatBody({ stream: true })) => {
  bench.gateway.provider = 'openai'
  bench.provider.reply = reply
  return bench.post('/openai/v1/chat/completions', body)
}

const escapesOf = (text: string): string =>
  Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

/** What an agent has of a stream once it has put the texts together. */
const textOf = (stream: string): string =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => {
      const { choices = [] } = JSON.parse(line.slice(6)) as { choices?: { delta?: { content?: string } }[] }
      return choices[0]?.delta?.content ?? ''
    })
    .join('')

test('blanks a key that stands whole in an event, and the stream goes on', async () => {
  const { text } = await ask(chatStream('it is ', key, ' indeed'))
  assert.equal(textOf(text), `it is ${'*'.repeat(key.length)} indeed`)
  assert.equal((await bench.lastRecord()).outcome, 'ok')
})

test('blanks a key that the network cuts at any place', async () => {
  for (const at of [1, 5, 6, 7, key.length - 1]) {
    const whole = Buffer.from(delta(`x${key}y`))
    const cut = whole.indexOf(key) + at
    const { text } = await ask((_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(whole.subarray(0, cut), () => setImmediate(() => response.end(whole.subarray(cut))))
    })
    assert.equal(textOf(text), `x${'*'.repeat(key.length)}y`)
  }
})

for (const size of [1, 2, 3, 4, 6, 8, 12, 19]) {
  test(`ends a stream that tells the key in pieces of ${size}`, async () => {
    const pieces = key.match(new RegExp(`.{1,${size}}`, 'g')) ?? []
    const { text } = await ask(chatStream('here: ', ...pieces, ' done'))
    const told = textOf(text)
    assert.ok(told.length < 'here: '.length + 20, told)
    assert.match(text, /provider-leaked-key/)
    const { code, outcome } = await bench.lastRecord()
    assert.deepEqual([code, outcome], ['provider-leaked-key', 'error'])
  })
}

test('ends a stream that tells the key in escapes, and one that does so as Anthropic speaks, among other fields', async () => {
  const escaped = escapesOf(key)
  const one = await ask(
    (_seen, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(delta('KEY').replace('KEY', escaped)),
  )
  assert.match(one.text, /provider-leaked-key/)
  assert.doesNotMatch(one.text, /u0073/)
  bench.gateway.provider = 'anthropic'
  const pieces = keyOf('anthropic').match(/.{1,5}/g) ?? []
  bench.provider.reply = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [at, partial_json] of pieces.entries()) {
      response.write(event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json } }))
      if (at % 2 === 0) response.write(event({ type: 'ping' }))
    }
    response.end()
  }
  const two = await bench.post('/anthropic/v1/messages', messagesBody({ stream: true }))
  assert.match(two.text, /provider-leaked-key/)
})

test('blanks the key in whole answers, in errors and in headers', async () => {
  const escaped = `{"choices":[{"message":{"content":"${escapesOf(key)}"}}]}`
  const whole: Reply = (_seen, response) =>
    void response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': key }).end(escaped)
  const shown = await ask(whole, chatBody())
  assert.equal(shown.status, 200)
  assert.doesNotMatch(JSON.stringify([shown.text, shown.headers]), new RegExp(key))
  const failed = await ask(json({ error: { message: `bad key ${key}` } }, 400))
  assert.match(failed.text, /bad key \*\*\*/)
  bench.provider.reply = usual
})

const plain = Buffer.from(
  Array.from({ length: 40 }, (_, at) => delta(`word ${at} sk-openai-T7 `)).join('') +
    event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 9 } }),
)

test('passes honest streams byte for byte and counts them, however they are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(plain.length), { maxLength: 40 }), (cuts) => {
      const watch = new StreamWatch(chat, key)
      const places = [0, ...cuts.toSorted((a, b) => a - b), plain.length]
      const out = places.slice(1).map((end, at) => {
        const watched = watch.push(plain.subarray(places[at], end))
        return 'fault' in watched ? assert.fail(watched.fault) : watched.bytes
      })
      const tail = watch.end()
      assert.deepEqual(Buffer.concat(tail === undefined ? out : [...out, tail]), plain)
      assert.deepEqual(watch.meter.usage, { input: 5, output: 9 })
    }),
    { numRuns: 300 },
  )
})

test('never lets more than a beginning of the key through, however it is cut into events and chunks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 19 }), { minLength: 1, maxLength: 60 }),
      fc.array(fc.nat(8_000), { maxLength: 60 }),
      (sizes, cuts) => {
        const pieces: string[] = []
        for (let at = 0, turn = 0; at < key.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1
          pieces.push(key.slice(at, at + size))
          at += size
        }
        const bytes = Buffer.from(
          pieces.map((text) => event({ type: 'content_block_delta', delta: { type: 'text_delta', text } })).join(''),
        )
        const watch = new StreamWatch(messages, key)
        const places = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length]
        let passed = ''
        let isEnded = false
        for (let at = 1; at < places.length && !isEnded; at++) {
          const watched = watch.push(bytes.subarray(places[at - 1], places[at]))
          isEnded = 'fault' in watched
          if (!('fault' in watched)) passed += watched.bytes.toString()
        }
        const told = [...passed.matchAll(/"text":"([^"]*)/g)].map(([, text]) => text).join('')
        assert.ok(isEnded, 'the stream was ended')
        assert.ok(told.length < 20 + 1, told)
      },
    ),
    { numRuns: 500 },
  )
})
