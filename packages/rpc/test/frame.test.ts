// Frames come out as they went in, however the bytes are cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { fc } from '@gatehouse/testkit/random'
import { encodeFrame, FrameReader } from '../src/frame.ts'

const read = (chunks: readonly Buffer[], most = 1_000_000): { lines: string[]; oversized: number } => {
  const lines: string[] = []
  let oversized = 0
  const reader = new FrameReader(most, { onFrame: (line) => void lines.push(line), onOversize: () => void (oversized += 1) })
  for (const chunk of chunks) reader.push(chunk)
  return { lines, oversized }
}

const cut = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [0, ...cuts.map((at) => at % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

test('any cutting of any frames gives the same frames', () => {
  const messages = fc.array(fc.record({ text: fc.string({ unit: 'binary' }), value: fc.jsonValue({ maxDepth: 2 }) }), { maxLength: 10 })
  fc.assert(
    fc.property(messages, fc.array(fc.nat(), { maxLength: 40 }), (sent, cuts) => {
      const { lines, oversized } = read(cut(Buffer.from(sent.map((message) => encodeFrame(message)).join('')), cuts))
      assert.equal(oversized, 0)
      assert.deepEqual(
        lines,
        sent.map((message) => JSON.stringify(message)),
      )
    }),
  )
})

test('any cutting finds the first oversized frame, once, and nothing after it', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 10 }), fc.array(fc.nat(), { maxLength: 40 }), (sizes, cuts) => {
      const sent = [...sizes.map((size) => 'x'.repeat(size)), 'y'.repeat(11), 'z']
      const { lines, oversized } = read(cut(Buffer.from(`${sent.join('\n')}\n`), cuts), 10)
      assert.deepEqual([lines, oversized], [sent.slice(0, -2), 1])
    }),
  )
})

test('counts the bytes of a frame that has no end yet', () => {
  assert.equal(read([Buffer.alloc(6, 'x'), Buffer.alloc(6, 'x')], 10).oversized, 1)
  assert.equal(read([Buffer.alloc(10, 'x')], 10).oversized, 0)
})

test('the sender refuses a frame beyond the limit, counted in bytes', () => {
  assert.equal(encodeFrame({ a: 'é' }, 10), '{"a":"é"}\n')
  assert.throws(
    () => encodeFrame({ a: 'é' }, 9),
    (error) => error instanceof ServiceError && error.code === 'too-large' && error.detail.includes('at most 9 bytes, got 10'),
  )
})
