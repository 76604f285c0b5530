// Lines out of a byte stream.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLines, type OverlongLine } from '../../../src/upstream/stdio/lines.ts'

const cut = (chunks: readonly (string | Buffer)[], most = 100) => {
  const lines: string[] = []
  const overlong: OverlongLine[] = []
  const push = createLines({ most, onLine: (line) => void lines.push(line), onOverlong: (line) => void overlong.push(line) })
  for (const chunk of chunks) push(Buffer.from(chunk))
  return { lines, overlong }
}

test('cuts lines wherever the chunks end', () => {
  const text = '{"a":1}\n{"b":"✓ü"}\n\n{"c":3}\n'
  const bytes = Buffer.from(text)
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
    assert.deepEqual(cut(chunks).lines, ['{"a":1}', '{"b":"✓ü"}', '{"c":3}'], String(size))
  }
})

test('keeps a line without an end to itself', () => {
  assert.deepEqual(cut(['a\nb']).lines, ['a'])
})

test('drops a line that is too long by itself, and keeps its two ends', () => {
  const long = `head${'x'.repeat(5000)}tail`
  for (const size of [1, 7, 4096, 10_000]) {
    const bytes = Buffer.from(`before\n${long}\nafter\n`)
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
    const { lines, overlong } = cut(chunks, 2000)
    assert.deepEqual(lines, ['before', 'after'])
    assert.equal(overlong.length, 1)
    assert.match(overlong[0]?.head ?? '', /^headx+$/)
    assert.match(overlong[0]?.tail ?? '', /^x+tail$/)
  }
})

test('takes a line of the largest size', () => {
  assert.equal(cut([`${'x'.repeat(100)}\n`]).lines.length, 1)
  assert.equal(cut([`${'x'.repeat(101)}\n`]).overlong.length, 1)
})

const held = (): number => {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test('a line that comes byte by byte costs little more than its bytes', () => {
  const size = 512 * 1024
  const lines: string[] = []
  const push = createLines({ most: 2 * size, onLine: (line) => void lines.push(line), onOverlong: () => undefined })
  const before = held()
  for (let at = 0; at < size; at += 1) push(Buffer.from('x'))
  assert.ok(held() - before < 16 * size, `${held() - before} bytes are held`)
  push(Buffer.from('\n'))
  assert.deepEqual(lines, ['x'.repeat(size)])
})
