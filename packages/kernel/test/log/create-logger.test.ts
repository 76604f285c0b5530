// Log lines: format, levels and redaction.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { createLogger, runInContext } from '../../src/index.ts'

const record = (level = 'info') => {
  const lines: string[] = []
  const log = createLogger({ process: 'gateway', level, write: (line) => void lines.push(line) })
  return { log, read: async () => (await log.flush(), lines.map((line) => JSON.parse(line) as Record<string, unknown>)) }
}

test('an entry is one JSON line with time, level, process, message and fields', async () => {
  const { log, read } = record()
  log.info('up', { port: 1, nested: { list: [1, 'two', null, 3n] } })
  const [line] = await read()
  assert.match(String(line?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(
    { ...line, time: 0 },
    { time: 0, level: 'info', process: 'gateway', message: 'up', port: 1, nested: { list: [1, 'two', null, '3'] } },
  )
})

test('lines keep their order, levels below the threshold are dropped, and a flush loses no line', async () => {
  const { log, read } = record('warn')
  for (let n = 0; n < 1_000; n += 1) {
    log.error('kept', { n })
    log.info('dropped')
  }
  const lines = await read()
  assert.deepEqual(
    lines.map((line) => line.n),
    Array.from({ length: 1_000 }, (_, n) => n),
  )
  const quiet = record('silent')
  quiet.log.error('dropped')
  assert.deepEqual(await quiet.read(), [])
  assert.throws(() => createLogger({ process: 'x', level: 'loud' }), /expected a log level/)
})

test('values are redacted by key name at any depth', async () => {
  const { log, read } = record()
  const secrets = {
    token: 's3cret',
    authorization: 's3cret',
    apiKey: 's3cret',
    set_cookie: ['s3cret'],
    headers: { a: 's3cret' },
    env: { A: 's3cret' },
  }
  log
    .child({ password: 's3cret' })
    .info('x', { ...secrets, list: [{ deep: { clientSecret: 's3cret', TOKENS: ['s3cret'] } }], arguments: { q: 's3cret' } })
  const text = JSON.stringify(await read())
  assert.equal(text.includes('s3cret'), false)
  assert.equal(text.split('[redacted]').length - 1, 10)
})

test('counts and similar but harmless names are not redacted', async () => {
  const { log, read } = record()
  log.info('x', { tokens: 12, monkey: 'ape', keyPath: '/a', token: null })
  assert.deepEqual(
    { ...(await read())[0], time: 0 },
    { time: 0, level: 'info', process: 'gateway', message: 'x', tokens: 12, monkey: 'ape', keyPath: '/a', token: null },
  )
})

test('an error is logged with its stack, code and cause', async () => {
  const { log, read } = record()
  log.error('failed', { error: new ServiceError('conflict', { detail: 'two', cause: new Error('root', { cause: { token: 's3cret' } }) }) })
  const [line] = await read()
  const error = line?.error as Record<string, unknown>
  assert.deepEqual([error.message, error.code], ['two', 'conflict'])
  assert.match(String(error.stack), /create-logger\.test/)
  assert.match(JSON.stringify(error.cause), /"message":"root".*\[redacted\]/)
})

test('circular, deep and non-JSON values are logged safely', async () => {
  const { log, read } = record()
  const circle: Record<string, unknown> = { name: 'c', bytes: Buffer.from('hidden'), act: () => 1, never: undefined }
  circle.self = circle
  let deep: object = {}
  for (let n = 0; n < 20; n += 1) deep = { deep }
  log.info('x', { circle, deep })
  const [line] = await read()
  assert.deepEqual(line?.circle, { name: 'c', bytes: '[6 bytes]', act: '[function]', self: '[circular]' })
  assert.match(JSON.stringify(line.deep), /"\[deep\]"/)
})

test('no field replaces time, level, process or message', async () => {
  const { log, read } = record()
  log.info('true', { message: 'false', level: 'error', process: 'x', time: 'never' })
  const [line] = await read()
  assert.deepEqual([line?.message, line?.level, line?.process, line?.['field.message']], ['true', 'info', 'gateway', 'false'])
})

test('lines have the fields of parent loggers and of the work context', async () => {
  const { log, read } = record()
  const child = log.child({ edge: 'a.b' }).child({ method: 'm' })
  await runInContext({ requestId: 'r-1', traceparent: undefined }, async () => {
    await Promise.resolve()
    child.warn('x')
  })
  child.warn('y')
  const [within, after] = await read()
  assert.deepEqual([within?.edge, within?.method, within?.requestId], ['a.b', 'm', 'r-1'])
  assert.equal(after?.requestId, undefined)
})
