// More than 200 requests against the keys and the choice of host, path and model: none reaches another one, and no key is in any
// answer, log or record.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { type Bench, createBench, keyOf } from './fixtures/bench.ts'
import { hostile } from './fixtures/corpus.ts'

let bench: Bench
before(async () => {
  bench = await createBench()
  await bench.start()
})
after(() => bench.stop())

/** What comes back until the other side ends, or says that it will. */
const exchange = (raw: string | Buffer): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(bench.socket())
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (/^HTTP\/1\.1 [^]*\r\n\r\n[^]*\}/.test(text) && !text.startsWith('HTTP/1.1 100')) socket.end()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
    socket.end(raw)
  })

test('the corpus is as large as it should be', () => assert.ok(hostile.length >= 200, String(hostile.length)))

const everywhere = ['anthropic', 'openai', 'gemini', 'openrouter', 'groq', 'mistral', 'compatible']
const seenTargets = new Set(['/v1/chat/completions'])

for (const [at, { what, raw, mayPass = false }] of hostile.entries()) {
  test(`hostile ${at + 1}: ${what.slice(0, 100)}`, async () => {
    const before = bench.provider.seen.length
    const answer = await exchange(raw)
    const reached = bench.provider.seen.slice(before)
    assert.ok(reached.length <= (mayPass ? 1 : 0), JSON.stringify(reached))
    for (const seen of reached) {
      assert.deepEqual([seen.method, seenTargets.has(seen.url), seen.body['model']], ['POST', true, 'the-model'])
      assert.equal(seen.headers['authorization'], `Bearer ${keyOf('openai')}`)
      assert.equal(seen.headers['host'], new URL(bench.provider.origin).host)
      assert.doesNotMatch(JSON.stringify(seen.headers), /stolen|evil|ses_|gzip|mcp-client/)
    }
    for (const name of everywhere) assert.ok(!answer.includes(keyOf(name)))
    if (reached.length === 0 && answer !== '') assert.doesNotMatch(answer, /^HTTP\/1\.1 2/)
  })
}

test('the honest part of what was carried along was answered, so that the rest was refused for what it is', () => {
  const honest = hostile.filter(({ mayPass = false }) => mayPass).length
  assert.ok(bench.provider.seen.length > honest / 2, `${bench.provider.seen.length} of ${honest}`)
})

test('no key is in any log line, record or metric, and each request has one record', async () => {
  const told = [...bench.logLines, JSON.stringify(await bench.records()), JSON.stringify(await bench.metrics.json())].join('\n')
  for (const name of everywhere) assert.ok(!told.includes(keyOf(name).slice(8)), name)
  const ids = (await bench.records()).map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
})
