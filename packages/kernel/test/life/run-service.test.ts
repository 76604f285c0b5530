// The lifecycle of a real process: ready, drained, orphaned, refused, crashed.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { execa } from 'execa'
import { waitFor } from '../../src/index.ts'

const program = join(import.meta.dirname, '../fixtures/service.ts')
const document = {
  mode: 'dev',
  version: '1',
  installation: 'i',
  stateDir: '/s',
  runDir: '/r',
  logLevel: 'info',
  edges: { 'a.b': 'edge-secret' },
}

const launch = (context: TestContext, behaviour: string, boot: string | undefined = `${JSON.stringify(document)}\n`) => {
  const child = execa(process.execPath, [program, behaviour], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    reject: false,
    buffer: { fd3: false },
  })
  const pipe = child.stdio[3] as unknown as Duplex
  const sent: Record<string, unknown>[] = []
  createInterface({ input: pipe }).on('line', (line) => sent.push(JSON.parse(line) as Record<string, unknown>))
  pipe.on('error', () => undefined)
  if (boot !== undefined) pipe.write(boot)
  context.after(() => child.kill('SIGKILL'))
  const ready = () => waitFor(() => sent.some(({ type }) => type === 'ready'), { what: 'ready' })
  const lines = async () =>
    (await child).stderr
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { child, pipe, sent, ready, lines }
}

test('a service reports readiness and secrets obtained later, and runs with a narrow umask', async (context) => {
  const { child, sent, ready, lines } = launch(context, 'well')
  await ready()
  assert.deepEqual(sent, [{ type: 'secret', value: 'learnt-later' }, { type: 'ready' }])
  child.kill('SIGTERM')
  assert.equal((await child).exitCode, 0)
  const [up] = await lines()
  assert.deepEqual([up?.message, up?.process, up?.version, up?.umask], ['up', 'gateway', '1', 0o077])
})

type Launched = ReturnType<typeof launch>
const ends: Record<string, (service: Launched) => unknown> = {
  SIGTERM: ({ child }) => child.kill('SIGTERM'),
  'a drain line': ({ pipe }) => pipe.write('{"type":"drain"}\n'),
  'the end of the pipe': ({ pipe }) => pipe.destroy(),
}

for (const [name, end] of Object.entries(ends)) {
  test(`a service stops in order and loses no log line after ${name}`, async (context) => {
    const service = launch(context, 'well')
    await service.ready()
    end(service)
    assert.equal((await service.child).exitCode, 0)
    assert.equal((await service.lines()).filter(({ message }) => message === 'draining').length, 200)
  })
}

test('SIGINT and SIGHUP are left to the supervisor', async (context) => {
  const { child, pipe, ready } = launch(context, 'well')
  await ready()
  child.kill('SIGINT')
  child.kill('SIGHUP')
  pipe.write('drain\n')
  const { exitCode, signal } = await child
  assert.deepEqual([exitCode, signal], [0, undefined])
})

test('a service whose stop hangs ends when the supervisor is gone, even during a drain', async (context) => {
  const { child, pipe, ready, lines } = launch(context, 'stuck')
  await ready()
  child.kill('SIGTERM')
  pipe.destroy()
  assert.equal((await child).exitCode, 0)
  assert.equal((await lines()).at(-1)?.message, 'stop timed out: ending with work still running')
})

test('a service whose start hangs ends when the supervisor is gone', async (context) => {
  const { child, pipe, sent } = launch(context, 'hangs')
  pipe.end()
  assert.equal((await child).exitCode, 0)
  assert.deepEqual(sent, [])
})

test('a refusal is reported with its exit code, and the service exits with it', async (context) => {
  const { child, sent } = launch(context, 'refuses')
  assert.equal((await child).exitCode, 75)
  assert.deepEqual(sent, [{ type: 'refuse', exit: 75, detail: 'another unit holds the state', hint: 'stop it' }])
})

test('a permanent error is reported as a child that cannot start', async (context) => {
  const { child, sent } = launch(context, 'fails')
  assert.equal((await child).exitCode, 70)
  assert.deepEqual(sent, [{ type: 'refuse', exit: 70, detail: 'expected our key, got another' }])
})

for (const behaviour of ['passes', 'throws', 'crashes']) {
  test(`a service that ${behaviour} exits with 70 and logs the error without a refusal`, async (context) => {
    const { child, sent, lines } = launch(context, behaviour)
    assert.equal((await child).exitCode, 70)
    assert.equal(
      sent.some(({ type }) => type === 'refuse'),
      false,
    )
    assert.ok((await lines()).some(({ level, error }) => level === 'error' && (error as Error).stack?.includes('service.ts')))
  })
}

test('a boot document of another version is refused without quoting it', async (context) => {
  const { child, sent } = launch(context, 'well', `${JSON.stringify({ ...document, edges: 5, odd: 'edge-secret' })}\n`)
  const { exitCode, stderr } = await child
  assert.equal(exitCode, 78)
  assert.match(String(sent[0]?.detail), /at: edges, odd/)
  assert.equal(`${JSON.stringify(sent)}${stderr}`.includes('edge-secret'), false)
})

test('an invalid boot document is refused, and a closed pipe ends the service', async (context) => {
  assert.equal((await launch(context, 'well', 'edge-secret\n').child).exitCode, 78)
  const { child, pipe } = launch(context, 'well', undefined)
  pipe.end()
  assert.equal((await child).exitCode, 0)
})

test('without a pipe the error says how to start the service', async () => {
  const { exitCode, stderr } = await execa(process.execPath, [program, 'well'], { reject: false })
  assert.equal(exitCode, 78)
  assert.match(stderr, /no pipe to the supervisor/)
})

test('a runtime warning is logged as a JSON line', async (context) => {
  const { child, pipe, ready, lines } = launch(context, 'well')
  await ready()
  pipe.write('drain\n')
  await child
  assert.ok((await lines()).some(({ message, level }) => message === 'runtime warning' && level === 'warn'))
})
