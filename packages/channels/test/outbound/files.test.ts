// Files of a message on their way out: whole, in their order, each noted by itself, and where one is not taken a line that says so.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { limits, type SentFile, ServiceError } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { SendFailure } from '../../src/channel.ts'
import { partsOf } from '../../src/outbound/parts.ts'
import { Senders } from '../../src/outbound/senders.ts'
import { clockOf, day } from '../fixtures/clock.ts'
import { type Behaviour, createCourier, makeDelivery } from '../fixtures/delivery.ts'

const MiB = 1024 * 1024
const apart = { size: 10 * MiB, together: false }

const file = (path: string, size: number): SentFile => ({ name: path.split('/').at(-1) ?? '', path, size })
const [small, large] = [file('/workspace/a.txt', 3), file('/workspace/b.bin', 2 * MiB + 5)]

const open = (t: TestContext, behaviour: Behaviour) => {
  const context = createCourier(behaviour)
  t.after(() => context.deliveries.stop())
  return context
}
const soon = (what: string, is: () => boolean) => waitFor(async () => is() || undefined, { what, deadline: 30_000 })

const parts = (files: SentFile[], can: Parameters<typeof partsOf>[1]['files'], text = 'said') =>
  partsOf(makeDelivery('a', 1, { text, files }), { length: 400, files: can }).map((part) => [
    part.text,
    ...part.files.map(({ name }) => name),
  ])

test('texts come first, then each file by itself', () => {
  assert.deepEqual(parts([small, large], apart), [['said'], ['', 'a.txt'], ['', 'b.bin']])
  assert.deepEqual(parts([small], apart, ''), [['', 'a.txt']])
  assert.deepEqual(parts([], apart, ''), [])
})

test('where a message takes them all they go with its last text', () => {
  const together = { ...apart, together: true }
  assert.deepEqual(parts([small, large], together), [['said', 'a.txt', 'b.bin']])
  assert.deepEqual(parts([small], together, ''), [['', 'a.txt']])
  const long = `${'x'.repeat(390)}\n${'y'.repeat(390)}`
  assert.deepEqual(parts([small], together, long), [['x'.repeat(390)], ['y'.repeat(390), 'a.txt']])
})

test('in place of a file that is empty, or larger than the channel takes, a line says where it is', () => {
  const line = `said\n[the file "b.bin" cannot be sent here: 2097157 bytes. It is at /workspace/b.bin: svcctl files get a /workspace/b.bin]`
  assert.deepEqual(parts([large, small], { size: 2 * MiB, together: false }), [[line], ['', 'a.txt']])
  assert.deepEqual(parts([large], { size: 0, together: false }), [[line]])
  assert.deepEqual(parts([file('/memory/e', 0)], apart), [
    ['said\n[the file "e" is empty. It is at /memory/e: svcctl files get a /memory/e]'],
  ])
  // Together they must fit together.
  const both = parts([large, large], { size: 4 * MiB, together: true })
  assert.deepEqual(both, [[line, 'b.bin']])
})

test('no line hides anything, breaks, or asks a shell for more than a path', () => {
  const [[text = ''] = []] = parts([file('/workspace/$(id)\n\u202e`x`', 5)], { size: 1, together: false }, '')
  assert.equal(text, '[the file "_(id)___x_" cannot be sent here: 5 bytes. It is at /workspace/$(id) \\u{202e}`x`: svcctl files get a]')
})

test('a file arrives whole, in pieces that the runner can carry', async (t) => {
  const { say, sent, asked } = open(t, { files: apart })
  say(makeDelivery('a', 1, { files: [small, large] }))
  await soon('all of it', () => sent.length === 3)
  assert.deepEqual(
    sent.map(({ text, part, files }) => [text, part, files.map(({ name, bytes }) => `${name} ${bytes.length}`)]),
    [
      ['a1', 0, []],
      ['', 1, ['a.txt 3']],
      ['', 2, ['b.bin 2097157']],
    ],
  )
  const bytes = Buffer.from(sent[2]?.files[0]?.bytes ?? [])
  assert.ok(bytes.subarray(0, MiB).equals(Buffer.alloc(MiB, '10')) && bytes.subarray(2 * MiB).equals(Buffer.alloc(5, '12')))
  assert.deepEqual(asked, [0, 0, 1, 2])
})

test('what was noted as sent is not fetched again, and a part keeps its id', async (t) => {
  let failing = true
  const { say, sent, asked } = open(t, {
    files: apart,
    send: ({ part }) => (part === 2 && failing ? Promise.reject(new SendFailure('later', 'busy')) : Promise.resolve()),
  })
  say(makeDelivery('a', 1, { files: [small, file('/workspace/c', 4)] }))
  await soon('an attempt at the last part', () => asked.length >= 2)
  failing = false
  await soon('the last part', () => sent.length === 3)
  assert.deepEqual(
    sent.map(({ files: [one] }) => one?.name),
    [undefined, 'a.txt', 'c'],
  )
  assert.equal(new Set(sent.map(({ id }) => id)).size, 3)
})

test('while a piece cannot be had nothing of its file goes out, and a copy of another size never does', async (t) => {
  let times = 0
  const { say, sent } = open(t, {
    files: apart,
    copy: (_, part) => {
      times += 1
      if (times <= 2) return Promise.reject(new ServiceError('unavailable'))
      return Promise.resolve(times <= 4 ? Buffer.alloc(part === 0 ? 7 : 0) : undefined)
    },
  })
  say(makeDelivery('a', 1, { text: '', files: [small] }))
  await soon('the file', () => sent.length === 1)
  assert.equal(sent[0]?.files[0]?.bytes.length, 3)
  assert.equal(times, 5)
})

test('a file whose copy is gone, or cannot be had for a day, ends its message, and the next one goes on', async (t) => {
  const clock = clockOf(t)
  const fetched: number[] = []
  const { say, sent, buried } = open(t, {
    files: apart,
    copy: (number) => (fetched.push(number), Promise.reject(new ServiceError(number === 0 ? 'not-found' : 'internal'))),
  })
  say(makeDelivery('a', 1, { text: '', files: [small] }))
  say(makeDelivery('a', 2, { text: '', files: [file('/workspace/e', 0), small] }))
  say(makeDelivery('a', 3))
  await soon('a second attempt', () => fetched.length > 2)
  clock.ahead = day + 1
  await soon('the next one', () => sent.some(({ text }) => text === 'a3'))
  assert.deepEqual(buried, [
    { seq: 1, reason: 'the copy of one of its files is missing' },
    { seq: 2, reason: 'delivery failed for a day' },
  ])
})

test(`no more than ${limits.channelFilesAtOnce} messages with files are in memory, and all arrive`, async (t) => {
  let [now, most] = [0, 0]
  const { say, sent } = open(t, {
    files: apart,
    send: async ({ files }) => {
      if (files.length === 0) return
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setImmediate(resolve))
      now -= 1
    },
  })
  for (const letter of 'abcdefghijkl') say(makeDelivery(letter, 1, { files: [small] }))
  await soon('all of them', () => sent.length === 24)
  assert.equal(most, limits.channelFilesAtOnce)
})

test('who stops waiting takes no turn from the next', async () => {
  const senders = new Senders(1)
  const held = Promise.withResolvers<undefined>()
  const first = senders.during(AbortSignal.timeout(60_000), () => held.promise)
  const leaving = new AbortController()
  const second = senders.during(leaving.signal, () => Promise.resolve('second'))
  const third = senders.during(AbortSignal.timeout(60_000), () => Promise.resolve('third'))
  leaving.abort(new Error('left'))
  await assert.rejects(second, /left/)
  held.resolve(undefined)
  await first
  assert.equal(await third, 'third')
  assert.equal(await senders.during(AbortSignal.timeout(60_000), () => Promise.resolve('fourth')), 'fourth')
})
