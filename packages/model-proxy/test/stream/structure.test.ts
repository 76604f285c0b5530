// Requests and answers that are built to keep a parser busy: refused on their bytes, with the true reason.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { limits } from '@gatehouse/contracts'
import { chatBody, openTestBench } from '../fixtures/bench.ts'
import type { Reply } from '../fixtures/provider.ts'

const bench = await openTestBench()

const path = '/openai/v1/chat/completions'
const filled = (unit: string, size: number): string => unit.repeat(Math.floor(size / unit.length))

const replied =
  (text: string, status = 200): Reply =>
  (_seen, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(text)

const ask = async (body: unknown = chatBody()) => {
  const { status, text } = await bench.post(path, body)
  const { error } = JSON.parse(text) as { error?: { code: string; message: string } }
  return { status, text, code: error?.code, message: error?.message ?? '' }
}

/** How many texts were parsed that are larger than any answer of ours. */
const largeParses = (t: TestContext): (() => number) => {
  const parser = t.mock.method(JSON, 'parse')
  return () => parser.mock.calls.filter(({ arguments: [text] }) => text.length > 20_000).length
}

for (const [what, text, reason] of [
  ['of open brackets', filled('[', 7_000_000), /the answer of the provider is nested deeper than 64 levels/],
  ['of open objects', filled('{"a":', 7_000_000), /the answer of the provider is nested deeper than 64 levels/],
  ['of many values', `{"a":[${filled('{},', 7_000_000)}{}]}`, /the answer of the provider has more than 100000 values and names/],
  ['of members of one name', `{${filled('"a":1,', 7_000_000)}"b":1}`, /the answer of the provider has more than 100000 values and names/],
  ['with a long name', `{"${filled('a', 30_000)}":1}`, /the answer of the provider has a name longer than 4096 bytes/],
] as const)
  test(`a whole answer ${what} is a provider's fault, with the reason, and is not parsed`, async (t) => {
    bench.provider.reply = replied(text)
    const parses = largeParses(t)
    const told = await ask()
    assert.equal(parses(), 0)
    assert.deepEqual([told.status, told.code], [502, 'provider-malformed'])
    assert.match(told.message, reason)
  })

test('a whole answer that is JSON but no object is no answer', async () => {
  for (const text of ['[]', '[{}]', 'null', '1', '"text"']) {
    bench.provider.reply = replied(text)
    const told = await ask()
    assert.deepEqual([told.status, told.code], [502, 'provider-malformed'], text)
  }
})

test("a provider's error of any structure is its error, without its text", async (t) => {
  for (const text of [filled('[', 60_000), `[${filled('1,', 60_000)}1]`, `{"error":{"message":"x","more":${filled('[', 50_000)}`]) {
    bench.provider.reply = replied(text, 503)
    const parses = largeParses(t)
    const told = await ask()
    assert.equal(parses(), 0)
    assert.deepEqual([told.status, told.code, told.message], [503, 'provider-error', 'the provider answered 503'])
    t.mock.restoreAll()
  }
})

for (const [what, messages, reason] of [
  ['of open brackets', filled('[', limits.modelRequest - 100), /the body is nested deeper than 64 levels/],
  ['of many values', `[${filled('{},', limits.modelRequest - 100)}{}]`, /the body has more than 50000 values and names/],
  ['of one name many times', `[{${filled('"a":1,', limits.modelRequest - 100)}"b":1}]`, /the body has more than 50000 values and names/],
  ['with a long name', `[{"${filled('a', 30_000)}":1}]`, /the body has a name longer than 4096 bytes/],
] as const)
  test(`a request ${what} is refused with the reason, reaches no parser and no provider`, async (t) => {
    const before = bench.provider.seen.length
    const parses = largeParses(t)
    const told = await ask(`{"model":"the-model","messages":${messages}}`)
    assert.equal(parses(), 0)
    assert.deepEqual([told.status, told.code], [400, 'malformed'])
    assert.match(told.message, reason)
    assert.equal(bench.provider.seen.length, before)
  })

test('a long history is a request like any other', async () => {
  const messages = Array.from({ length: 5_000 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `message ${at}` }))
  assert.equal((await ask(chatBody({ messages }))).status, 200)
})

test('nothing of a storm of such requests and answers is kept', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = (): number => {
    // What a first collection frees may hold what a second one frees.
    for (let count = 0; count < 3; count += 1) collect()
    const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
    return heap + external
  }
  const storm = async (): Promise<void> => {
    for (const unit of ['[', '{"a":', '{},']) {
      bench.provider.reply = replied(filled(unit, 7_000_000))
      await ask()
      await ask(`{"model":"the-model","messages":${filled(unit, limits.modelRequest - 100)}}`)
    }
    bench.provider.reply = replied(`{"choices":[],"text":"${filled('a', 7_000_000)}"}`)
    await ask(chatBody({ messages: [{ role: 'user', content: filled('a', limits.modelRequest - 1_000) }] }))
    // The provider notes what it was asked, which is part of the test.
    bench.provider.seen.length = 0
  }
  await storm()
  const held = used()
  for (let count = 0; count < 3; count += 1) await storm()
  assert.ok(used() - held < limits.modelRequest / 2, `expected little more than ${held} bytes, got ${used()}`)
})
