// Tool servers whose answers are built to keep a parser busy: refused on their bytes, with the true reason.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { type Bench, createBench, local, sessionOne, sessionTwo } from '../fixtures/bench.ts'

const fixtures = join(import.meta.dirname, '../fixtures/hostile')

const deep = /the answer is nested deeper than 2000 levels; ask for less$/
const wide = /the answer has more than 100000 values and names; ask for less$/

const onStreams: Readonly<Record<string, RegExp>> = {
  'result-of-1000-levels': /the answer is nested deeper than 64 levels; ask for less$/,
  'result-of-open-brackets': deep,
  'result-of-many-values': wide,
  'result-of-many-names': wide,
  'result-with-a-long-name': /the answer has a name longer than 4096 bytes; ask for less$/,
  'line-without-end': /the answer is larger than 8388608 bytes; ask for less$/,
}
const overHttp: Readonly<Record<string, RegExp>> = {
  'answer-of-open-brackets': deep,
  'answer-of-many-values': wide,
  'event-of-many-values': wide,
  'event-of-brackets-on-many-lines': deep,
  'brackets-with-400': /the tool server did not answer as MCP asks/,
  'event-without-end': /the answer is larger than 8388608 bytes; ask for less$/,
}
const faults = { ...onStreams, ...overHttp }

let bench: Bench
let program: ChildProcess
before(async () => {
  program = spawn(process.execPath, [join(fixtures, 'http.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [port] = (await once(createInterface({ input: program.stdout ?? process.stdin }), 'line')) as [string]
  bench = await createBench()
  const entryOf = (fault: string): object =>
    fault in onStreams
      ? { ...local(), args: [join(fixtures, 'stdio.ts'), fault] }
      : { transport: 'http', url: `http://127.0.0.1:${port}/${fault}` }
  bench.gateway.catalog = { good: local(), ...Object.fromEntries(Object.keys(faults).map((fault) => [fault, entryOf(fault)])) }
  bench.gateway.grants = {
    [sessionOne]: Object.fromEntries(Object.keys(faults).map((fault) => [fault, []])),
    [sessionTwo]: { good: [] },
  }
  await bench.start({ level: 'error' })
})
after(async () => {
  program.stdin?.end()
  await bench.stop()
})

/** Texts that were parsed and hold what no parser here should see. */
const isHostile = (text: unknown): boolean => typeof text === 'string' && /\[{2001}|(?:\{\},){50000}|(?:"a":1,){50000}|a{5000}/.test(text)

for (const [fault, reason] of Object.entries(faults))
  test(`${fault}: the agent is told the true reason, nothing is parsed, and a neighbour is answered`, async (t) => {
    const parser = t.mock.method(JSON, 'parse')
    const answer = await bench.call(`${fault}__go`, {}, sessionOne)
    assert.equal(answer.error?.code, fault === 'brackets-with-400' ? 'upstream-error' : 'too-large')
    assert.match(answer.error.message, reason)
    assert.equal(parser.mock.calls.filter((call) => isHostile(call.arguments[0])).length, 0)
    assert.deepEqual((await bench.call('good__echo', { text: fault }, sessionTwo)).content, [{ type: 'text', text: fault }])
  })

test('a tool that is nested too deep is left out by itself, in a message that is deeper than any tool may be', async () => {
  const own = await createBench()
  own.gateway.catalog = { bad: local({ LIST: 'bad' }) }
  own.gateway.grants = { [sessionOne]: { bad: [] } }
  try {
    await own.start()
    assert.ok((await own.tools(sessionOne)).some(({ name }) => name === 'bad__good'))
  } finally {
    await own.stop()
  }
})
