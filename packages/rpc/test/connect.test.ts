// What a caller may rely on when the other end is slow, wrong, down or back.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { limits, ServiceError } from '@gatehouse/contracts'
import { Refusal, waitFor } from '@gatehouse/kernel'
import { execa } from 'execa'
import { connectEdge, type Handlers } from '../src/index.ts'
import { caller, edge, pair, recordLog, scratch, secret, serve, type TestEdge } from './fixtures/edge.ts'

const unavailable = { code: 'unavailable' }

test('calls are a plain object of functions', async (context) => {
  const { calls } = await pair(context)
  assert.deepEqual(Object.keys(calls), Object.keys(edge.calls))
  const { echo } = calls
  assert.deepEqual(await echo({ text: 'ä\u2028\u0000"' }), { text: 'ä\u2028\u0000"' })
})

test('refuses an answer that its contract does not know', async (context) => {
  const { calls, lines } = await pair(context)
  await assert.rejects(calls.wrong({}), { code: 'internal' })
  assert.deepEqual([lines[0]?.level, lines[0]?.message], ['error', 'answer refused'])
})

test('refuses to send what is too large, and the connection stays', async (context) => {
  let connects = 0
  const { calls, lines } = await pair(context, {}, { onConnect: () => void (connects += 1) })
  await assert.rejects(calls.echo({ text: 'x'.repeat(limits.rpcFrame) }), { code: 'too-large' })
  await assert.rejects(calls.echo({ text: 'é'.repeat(limits.rpcFrame / 2) }), { code: 'too-large' })
  assert.deepEqual(await calls.echo({ text: 'x' }), { text: 'x' })
  assert.deepEqual([connects, lines.length], [1, 0])
})

const listening = () => {
  const aborted = Promise.withResolvers<unknown>()
  const started = Promise.withResolvers<void>()
  const hang: Handlers<TestEdge>['hang'] = (_params, { signal }) => {
    started.resolve()
    signal.addEventListener('abort', () => aborted.resolve(signal.reason))
    return new Promise(() => undefined)
  }
  return { hang, aborted: aborted.promise, started: started.promise }
}

test('gives up at the deadline and aborts the handler', async (context) => {
  const { hang, aborted } = listening()
  const { calls } = await pair(context, { hang })
  await assert.rejects(calls.hang({}, { deadline: 20 }), { code: 'deadline' })
  assert.ok(await aborted)
  assert.deepEqual(await calls.echo({ text: 'x' }), { text: 'x' })
})

test('what a handler goes on with after the caller gave up holds nobody and harms nobody', async (context) => {
  const gate = Promise.withResolvers<{ text: string }>()
  const { calls, server, client, lines } = await pair(context, { hang: () => gate.promise })
  await assert.rejects(calls.hang({}, { deadline: 10 }), { code: 'deadline' })
  await calls.echo({ text: 'the cancellation has arrived' })
  const closed = server.close().then(() => 'closed')
  assert.equal(await Promise.race([closed, pause(limits.drainTime / 2, 'held', { ref: false })]), 'closed')
  gate.reject(new Error('too late'))
  await waitFor(() => !client.connected(), { what: 'the end' })
  assert.equal(
    lines.some(({ level }) => level === 'error'),
    false,
  )
})

test('a signal of the caller aborts the handler', async (context) => {
  const { hang, aborted, started } = listening()
  const { calls } = await pair(context, { hang })
  const giveUp = new AbortController()
  const rejected = assert.rejects(calls.hang({}, { signal: giveUp.signal }), { code: 'deadline' })
  await started
  giveUp.abort()
  await rejected
  assert.ok(((await aborted) as Error).message.includes('gave up'))
  await assert.rejects(calls.echo({ text: 'x' }, { signal: giveUp.signal }), { code: 'deadline' })
})

test('the end of the connection aborts the handler', async (context) => {
  const { hang, aborted, started } = listening()
  const { client } = await pair(context, { hang })
  const rejected = assert.rejects(client.calls.hang({}), unavailable)
  await started
  client.close()
  await rejected
  assert.ok(await aborted)
})

test('a handler that looks at its signal only after the abort finds it aborted', async (context) => {
  const gate = Promise.withResolvers<void>()
  const seen = Promise.withResolvers<boolean>()
  const { calls } = await pair(context, {
    hang: async (_params, work) => {
      await gate.promise
      seen.resolve(work.signal.aborted)
      return { text: '' }
    },
  })
  await assert.rejects(calls.hang({}, { deadline: 10 }), { code: 'deadline' })
  await calls.echo({ text: 'the cancellation has arrived' })
  gate.resolve()
  assert.equal(await seen.promise, true)
})

test('a call to a peer that is down fails at once, a patient one waits for it', async (context) => {
  const path = await scratch(context)
  let failures = 0
  context.mock.method(Math, 'random', () => ((failures += 1), 0.1))
  const client = caller(context, { path })
  await assert.rejects(client.calls.echo({ text: 'x' }), unavailable)
  await assert.rejects(client.calls.large({ text: 'x' }), unavailable)
  assert.equal(client.connected(), false)
  const patient = client.calls.patient({ text: 'waited' })
  const before = failures
  await waitFor(() => failures >= before + 3, { what: 'further attempts that fail', every: 1 })
  await serve(context, { path })
  assert.deepEqual(await patient, { text: 'waited' })
})

test('a patient call gives up at its own deadline', async (context) => {
  const client = caller(context, { path: await scratch(context) })
  await assert.rejects(client.calls.patient({ text: 'x' }, { deadline: 10 }), unavailable)
})

test('the first call right after connecting finds the connection', async (context) => {
  const path = await scratch(context)
  await serve(context, { path })
  assert.deepEqual(await caller(context, { path }).calls.echo({ text: 'x' }), { text: 'x' })
})

/** A server process that serves; gives the act that kills it. */
const launch = async (context: TestContext, path: string): Promise<() => void> => {
  const child = execa(process.execPath, [join(import.meta.dirname, 'fixtures/server.ts'), path], { reject: false })
  const kill = () => void child.kill('SIGKILL')
  context.after(kill)
  await once(child.stdout, 'data')
  return kill
}

test('a call in flight fails when its server is killed, and the caller finds the next one by itself', async (context) => {
  const path = await scratch(context)
  let connects = 0
  const kill = await launch(context, path)
  const client = caller(context, { path, onConnect: () => void (connects += 1) })
  const rejected = assert.rejects(
    client.calls.hang({}),
    (error) => error instanceof ServiceError && error.code === 'unavailable' && error.detail.includes('may or may not'),
  )
  await client.calls.echo({ text: 'the other has arrived' })
  kill()
  await rejected
  await launch(context, path)
  await waitFor(() => connects === 2, { what: 'a second connection' })
  assert.deepEqual(await client.calls.large({ text: 'x' }), { text: 'x'.repeat(10) })
})

test('runs onConnect after each connection, and calls work within it', async (context) => {
  const path = await scratch(context)
  const seen: string[] = []
  const { log, lines } = recordLog()
  const client = connectEdge(edge, {
    path,
    secret,
    log,
    onConnect: async () => {
      seen.push((await client.calls.echo({ text: 'synchronised' })).text)
      if (seen.length === 2) throw new Error('could not')
    },
  })
  context.after(() => client.close())
  const first = await serve(context, { path })
  await waitFor(() => seen.length === 1, { what: 'the first' })
  await first.close()
  await serve(context, { path })
  await waitFor(() => lines.some(({ message }) => message === 'resynchronisation failed'), { what: 'a line' })
  assert.deepEqual(seen, ['synchronised', 'synchronised'])
  assert.deepEqual(await client.calls.echo({ text: 'x' }), { text: 'x' })
})

test('says once why a peer is down, however often it is tried', async (context) => {
  const { log, lines } = recordLog()
  const path = await scratch(context)
  const client = caller(context, { path, log })
  let attempts = 0
  context.mock.method(Math, 'random', () => ((attempts += 1), 0.01))
  await waitFor(() => attempts > 5, { what: 'five attempts' })
  client.close()
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['peer is down'],
  )
})

test('large calls take a connection of their own, opened when the first comes', async (context) => {
  const { calls, path } = await pair(context)
  const connections = async (): Promise<number> =>
    (await readFile('/proc/net/unix', 'utf8')).split('\n').filter((line) => line.endsWith(path)).length - 1
  await calls.echo({ text: 'x' })
  assert.equal(await connections(), 1)
  assert.deepEqual(await calls.large({ text: 'y' }), { text: 'y'.repeat(10) })
  assert.equal(await connections(), 2)
})

test('answers that fill many reads arrive whole, whatever else arrives between them', async (context) => {
  const { calls } = await pair(context)
  const texts = Array.from({ length: 40 }, (_, index) => `${index} é `.repeat(index % 4 === 0 ? 60_000 : index + 1))
  const answers = await Promise.all(texts.map((text) => calls.echo({ text })))
  for (const [index, { text }] of answers.entries()) assert.ok(text === texts[index], `answer ${index}`)
})

test('refuses a path that would be cut', () => {
  assert.throws(
    () => connectEdge(edge, { path: `/tmp/${'x'.repeat(100)}`, secret }),
    (error) => error instanceof Refusal && error.exit === 78,
  )
})

test('fails at once after it was closed', async (context) => {
  const { client } = await pair(context)
  client.close()
  await assert.rejects(client.calls.patient({ text: 'x' }), unavailable)
})
