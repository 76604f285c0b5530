// What a server accepts, answers, refuses and survives.
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { jsonBounds, limits, ServiceError } from '@gatehouse/contracts'
import { waitFor, workContext } from '@gatehouse/kernel'
import { caller, edge, pair, scratch, secret, serve } from './fixtures/edge.ts'
import { greeted, request } from './fixtures/raw.ts'

test('refuses unknown keys, missing keys and wrong types, and points at them without showing them', async (context) => {
  const { calls } = await pair(context)
  const errorsOf = async (params: unknown) => {
    const error = await calls.echo(params as never).then(
      () => assert.fail('accepted'),
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof ServiceError)
    assert.equal(error.code, 'invalid')
    return error.errors
  }
  assert.deepEqual(await errorsOf({ text: 'a', 'x/y': 1 }), [{ pointer: '/x~1y', detail: 'expected no such member' }])
  assert.deepEqual(await errorsOf({}), [{ pointer: '/text', detail: 'expected "text", got nothing' }])
  assert.deepEqual(await errorsOf({ text: 5 }), [{ pointer: '/text', detail: 'expected string, got 5' }])
  assert.deepEqual(await errorsOf('s3cret'), [{ pointer: '', detail: 'expected Object, got another text' }])
})

test('gives the error of a handler with all its members', async (context) => {
  const { calls } = await pair(context)
  await assert.rejects(calls.fail({ how: 'known' }), (error) => {
    assert.ok(error instanceof ServiceError)
    const { code, detail, hint, errors, extra } = error
    assert.deepEqual(
      { code, detail, hint, errors, extra },
      { code: 'conflict', detail: 'd', hint: 'h', errors: [{ pointer: '/a', detail: 'x' }], extra: { changeID: 'c' } },
    )
    return true
  })
})

test('makes an unknown error internal, without its text, and logs it with its stack', async (context) => {
  const { calls, lines } = await pair(context)
  for (const how of ['unknown', 'nothing']) {
    await assert.rejects(
      calls.fail({ how }),
      (error) => error instanceof ServiceError && error.code === 'internal' && error.detail === 'Internal error',
    )
  }
  const [line] = lines
  assert.deepEqual([line?.level, line?.message, line?.method], ['error', 'call failed', 'fail'])
  assert.match(String((line?.error as Error | undefined)?.stack), /the path is \/secret[^]*edge\.ts/)
})

test('keeps the cause of a known error in the log of the process that threw it', async (context) => {
  const { calls, lines } = await pair(context)
  await assert.rejects(
    calls.fail({ how: 'cause' }),
    (error) => error instanceof ServiceError && error.code === 'upstream-failed' && error.cause === undefined,
  )
  assert.equal(lines[0]?.level, 'warn')
})

test('runs calls concurrently', async (context) => {
  const gate = Promise.withResolvers<{ text: string }>()
  const { calls } = await pair(context, { hang: () => gate.promise })
  const waiting = calls.hang({})
  assert.deepEqual(await calls.echo({ text: 'passes' }), { text: 'passes' })
  gate.resolve({ text: 'late' })
  assert.deepEqual(await waiting, { text: 'late' })
})

test('gives handlers and log lines the request id and traceparent of the caller, and takes them from the work at hand', async (context) => {
  const { calls } = await pair(context, {
    context: (_params, { requestId }) => ({ requestId, traceparent: workContext()?.requestId ?? '' }),
  })
  assert.deepEqual(await calls.context({}, { requestId: 'r-7' }), { requestId: 'r-7', traceparent: 'r-7' })
  const { path } = await pair(context)
  const inner = caller(context, { path })
  const outer = await pair(context, { context: () => inner.calls.context({}) })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  assert.deepEqual(await outer.calls.context({}, { requestId: 'r-8', traceparent }), { requestId: 'r-8', traceparent })
})

test('an answer that is too large fails its call alone', async (context) => {
  const { calls, client } = await pair(context)
  await assert.rejects(calls.large({ text: 'x'.repeat(limits.rpcFrame / 10) }), { code: 'too-large' })
  assert.deepEqual(await calls.large({ text: 'ok' }), { text: 'ok'.repeat(10) })
  assert.equal(client.connected(), true)
})

test('closes a connection that sends a malformed or an oversized frame, and serves the others', async (context) => {
  const { path, calls, lines } = await pair(context)
  const bad = [
    '{"t":"q"',
    '[1]',
    '{"t":"q","m":"echo","a":{}}',
    '{"t":"q","m":"echo","a":[],"o":true}',
    '{"t":"x"}',
    '{}',
    'x'.repeat(limits.rpcFrame + 1),
    '['.repeat(100_000),
    `[${'1,'.repeat(jsonBounds.rpcFrame.values)}1]`,
  ]
  for (const text of bad) {
    const raw = await greeted(context, path, { edge, secret })
    raw.write(`${text}\n`)
    await raw.closed()
  }
  await waitFor(() => lines.length === bad.length, { what: 'a reason each' })
  assert.ok(lines.every(({ message, reason }) => message === 'connection closed' && /^(?:expected|the frame)/.test(reason ?? '')))
  assert.deepEqual(
    lines.slice(-3).map(({ reason }) => reason),
    [
      'the frame is larger than 8388608 bytes',
      'the frame is nested deeper than 2100 levels',
      'the frame has more than 1000000 values and names',
    ],
  )
  assert.deepEqual(await calls.echo({ text: 'served' }), { text: 'served' })
})

test('refuses a call without its deadline or with the number of one that runs', async (context) => {
  const { path } = await pair(context)
  const raw = await greeted(context, path, { edge, secret })
  raw.send({ t: 'q', i: '1', m: 'echo', a: [{ text: 'x' }] })
  assert.match(JSON.stringify(await raw.next()), /malformed/)
  raw.send(request('hang', {}, 5))
  raw.send(request('echo', { text: 'x' }, 5))
  assert.match(JSON.stringify(await raw.next()), /malformed/)
  raw.socket.destroy()
})

test('lets running calls end when it closes, refuses new ones, and removes its socket', async (context) => {
  const gate = Promise.withResolvers<{ text: string }>()
  const { calls, server, path } = await pair(context, { hang: () => gate.promise })
  const running = calls.hang({})
  await calls.echo({ text: 'the other has arrived' })
  const closing = server.close()
  await assert.rejects(calls.echo({ text: 'x' }), { code: 'unavailable' })
  gate.resolve({ text: 'ended' })
  assert.deepEqual(await running, { text: 'ended' })
  await closing
  await assert.rejects(stat(path), { code: 'ENOENT' })
})

test('makes the directory of its socket for its owner alone', async (context) => {
  const path = (await scratch(context)).replace('gateway.broker', 'edges/gateway.broker')
  await serve(context, { path })
  assert.equal((await stat(dirname(path))).mode & 0o777, 0o700)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
})

test('a second server on the same path is refused and the first goes on', async (context) => {
  const { path, calls } = await pair(context)
  await assert.rejects(serve(context, { path }), { exit: 75 })
  assert.deepEqual(await calls.echo({ text: 'x' }), { text: 'x' })
})
