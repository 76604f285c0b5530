// Bodies of `POST /call` that are built to keep a parser busy: refused on their bytes, with the true reason.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { jsonBounds, jsonNameBytes, limits } from '@gatehouse/contracts'
import { ask } from '../fixtures/ask.ts'
import { type Bench, createBench, local, sessionOne } from '../fixtures/bench.ts'

const { values } = jsonBounds.toolCall

let bench: Bench
before(async () => {
  bench = await createBench()
  bench.gateway.catalog = { sample: local() }
  bench.gateway.grants = { [sessionOne]: { sample: ['echo'] } }
  await bench.start()
})
after(() => bench.stop())

const filled = (unit: string): string => unit.repeat(Math.floor((limits.callBody - 100) / unit.length))
const deep = /^the body is nested deeper than 64 levels$/
const wide = new RegExp(`^the body has more than ${values} values and names$`)

const hostile: Readonly<Record<string, readonly [string, RegExp]>> = {
  'open brackets': [filled('['), deep],
  'open objects': [filled('{"a":'), deep],
  'objects in a list': [`[${filled('{},')}1]`, wide],
  numbers: [`[${filled('1,')}1]`, wide],
  'members of one name': [`{"name":"sample__echo","arguments":{${filled('"a":1,')}"b":1}}`, wide],
  'deep and wide': [`[${filled(`[${'['.repeat(50)}${']'.repeat(50)}],`)}1]`, wide],
  'a long name': [
    `{"name":"sample__echo","arguments":{"${'a'.repeat(jsonNameBytes + 1)}":1}}`,
    /^the body has a name longer than 4096 bytes$/,
  ],
}

for (const [name, [body, reason]] of Object.entries(hostile))
  test(`refuses ${name} with the reason, and parses nothing`, async (t) => {
    const parser = t.mock.method(JSON, 'parse')
    const answer = await ask(bench.socket(), '/call', { method: 'POST', body })
    assert.equal(parser.mock.calls.filter(({ arguments: [text] }) => text.length > 100_000).length, 0)
    const { code, detail, hint } = JSON.parse(answer.text) as { code: string; detail: string; hint?: string }
    assert.deepEqual([answer.status, code], [400, 'malformed'])
    assert.match(detail, reason)
    assert.ok(hint === undefined || hint.startsWith('send less'))
  })

test('takes structure up to its limit, and any text', async () => {
  // The body itself, its two names with a value, the argument of the tool with its name, and the list.
  const list = Array.from({ length: values - 10 }, () => 1)
  const brackets = '[[{{'.repeat(100_000)
  for (const args of [{ text: 'a', list }, { text: brackets }]) {
    const { isError } = await bench.call('sample__echo', args)
    assert.equal(isError, false)
  }
})

test('keeps nothing of a storm of such bodies', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = (): number => {
    // What a first collection frees may hold what a second one frees.
    for (let count = 0; count < 3; count += 1) collect()
    const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
    return heap + external
  }
  const storm = async (): Promise<void> => {
    for (const [body] of Object.values(hostile)) await ask(bench.socket(), '/call', { method: 'POST', body })
    const list = Array.from({ length: values - 10 }, () => 1)
    await bench.call('sample__echo', { text: 'a'.repeat(limits.callBody / 2), list })
  }
  await storm()
  const held = used()
  for (let count = 0; count < 3; count += 1) await storm()
  assert.ok(used() - held < limits.callBody, `expected less than a body more than ${held} bytes, got ${used()}`)
})
