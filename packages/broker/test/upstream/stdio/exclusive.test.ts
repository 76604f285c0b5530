// Processes of a server that keeps files, one after the other.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { CatalogEntry } from '@gatehouse/contracts'
import * as v from 'valibot'
import { ExclusiveStarts, keepsFiles } from '../../../src/upstream/stdio/exclusive.ts'
import type { RunningProgram } from '../../../src/upstream/stdio/start-program.ts'

const never = new AbortController().signal

/** A program that is gone when its test says so. */
const program = () => {
  const gone = Promise.withResolvers<void>()
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const running: RunningProgram = { ...streams, pid: null, gone: gone.promise, stop: async () => gone.resolve() }
  return { running, end: gone.resolve }
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('starts each when the one before is gone, in their order, and others at once', async () => {
  const alone = new ExclusiveStarts()
  const started: string[] = []
  const [one, two, three, other] = [program(), program(), program(), program()]
  const start = (server: string, name: string, { running }: ReturnType<typeof program>) =>
    alone.start(server, async () => (started.push(name), running), never)
  await start('a', 'one', one)
  const rest = [start('a', 'two', two), start('a', 'three', three)]
  await start('b', 'other', other)
  await settle()
  assert.deepEqual(started, ['one', 'other'])
  one.end()
  await rest[0]
  await settle()
  assert.deepEqual(started, ['one', 'other', 'two'])
  two.end()
  await rest[1]
  assert.deepEqual(started, ['one', 'other', 'two', 'three'])
})

test('waits so long and no longer, and keeps the place of nobody who gave up or could not start', async (t) => {
  // Its own clock keeps no process alive.
  const alive = setInterval(() => undefined, 1_000)
  t.after(() => clearInterval(alive))
  const alone = new ExclusiveStarts(20)
  const [one, last] = [program(), program()]
  await alone.start('a', async () => one.running, never)
  await assert.rejects(
    alone.start('a', () => assert.fail('it was started'), never),
    { kind: 'still-running' },
  )
  const leaving = new AbortController()
  const left = alone.start('a', () => assert.fail('it was started'), leaving.signal)
  leaving.abort(new Error('left'))
  await assert.rejects(left, /left/)
  one.end()
  await settle()
  await assert.rejects(
    alone.start('a', () => Promise.reject(new Error('no such command')), never),
    /no such command/,
  )
  assert.equal(await alone.start('a', async () => last.running, never), last.running)
})

test('means servers that write to a place that outlives them', () => {
  const entry = (extra: object) => v.parse(CatalogEntry, { transport: 'stdio', command: 'x', ...extra })
  assert.equal(keepsFiles(entry({ data: true })), true)
  assert.equal(
    keepsFiles(
      entry({
        volumes: [
          { source: '/a', target: '/b' },
          { source: '/c', target: '/d', mode: 'rw' },
        ],
      }),
    ),
    true,
  )
  assert.equal(keepsFiles(entry({ volumes: [{ source: '/a', target: '/b' }] })), false)
  assert.equal(keepsFiles(entry({})), false)
  assert.equal(keepsFiles(v.parse(CatalogEntry, { transport: 'http', url: 'https://x.example' })), false)
})
