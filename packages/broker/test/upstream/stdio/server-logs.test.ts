// What is kept of a server's stderr.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { createRedactor } from '../../../src/secrets/redact.ts'
import { ServerLogStore } from '../../../src/upstream/stdio/server-logs.ts'

const none = createRedactor([])
const texts = (output: ServerLogStore, name = 'a') => output.read(name).items.map(({ text }) => text)

test('keeps lines whole, however they arrive, and the last one also without its end', () => {
  const output = new ServerLogStore()
  const take = output.take({ name: 'a', redactor: none })
  for (const piece of ['one\ntw', 'o\n', '\nthr', 'ee']) take(Buffer.from(piece))
  assert.deepEqual(texts(output), ['one', 'two'])
  take()
  assert.deepEqual(texts(output), ['one', 'two', 'three'])
})

test('masks a value that arrives in two pieces, and each line of one that has several', () => {
  const output = new ServerLogStore()
  const take = output.take({ name: 'a', redactor: createRedactor(['tok-tok-tok-tok', 'first-line-of-it\nsecond-line-of-it']) })
  for (const piece of ['token tok-tok', '-tok-tok!\n', 'first-line-of-it\nand second-line-of-it\n']) take(Buffer.from(piece))
  assert.deepEqual(texts(output), ['token ••••!', '••••', 'and ••••'])
})

test('gives what came after a cursor, and says when some of it is gone', () => {
  const output = new ServerLogStore()
  const take = output.take({ name: 'a', redactor: none })
  take(Buffer.from('1\n2\n3\n'))
  const { next, items } = output.read('a', { after: 2 })
  assert.deepEqual([items.map(({ text }) => text), next], [['3'], 3])
  assert.deepEqual(output.read('a', { after: 3 }), { items: [], next: 3, missed: false })
  take(Buffer.from('x\n'.repeat(limits.serverLogLines)))
  assert.equal(output.read('a', { after: 2 }).missed, true)
  assert.equal(output.read('a', { limit: 5 }).items.length, 5)
  assert.equal(output.read('a', { after: 999_999 }).items.length, limits.serverLogLines)
  assert.deepEqual(output.read('nobody'), { items: [], next: 0, missed: false })
})

test('keeps no more than its bounds, and forgets servers that are gone', () => {
  const output = new ServerLogStore()
  const take = output.take({ name: 'a', redactor: none })
  for (let at = 0; at < 100; at += 1) take(Buffer.from(`${'y'.repeat(limits.serverLogLine)}\n`))
  take(Buffer.from(`${'z'.repeat(limits.serverLogLine + 1)}\n`))
  assert.ok(texts(output).join('').length <= limits.serverLogs)
  assert.equal(texts(output).at(-1), '(a line too long to be kept)')
  output.keepOnly(new Set(['b']))
  assert.deepEqual(texts(output), [])
})
