import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Line, lineStartAfter, linesBackward, linesForward, type Read } from '../src/lines.ts'

const block = 64 * 1024

const over =
  (content: Buffer): Read =>
  (position, length) => {
    assert.ok(position >= 0 && position + length <= content.length, 'reads within the file')
    return Promise.resolve(content.subarray(position, position + length))
  }

const collect = async (lines: AsyncIterable<Line>): Promise<[number, string][]> => {
  const found: [number, string][] = []
  for await (const { start, bytes } of lines) found.push([start, bytes.toString()])
  return found
}

/** The result of plain splitting. */
const expected = (content: Buffer): [number, string][] => {
  let start = 0
  return content
    .toString()
    .split('\n')
    .map((text) => {
      const line: [number, string] = [start, text]
      start += text.length + 1
      return line
    })
}

/** Lines that end just before, at and just after block boundaries, counted from the start and from the end. */
const contents = [-2, -1, 0, 1, 2].flatMap((shift) =>
  ['', 'torn', '\n'].map((tail) =>
    Buffer.from(`${'a'.repeat(block + shift)}\n${'b'.repeat(block - 1)}\n\n${'c'.repeat(2 * block + shift)}\n${tail}`),
  ),
)

describe('lines of a file', () => {
  test('are read forwards independently of block boundaries', async () => {
    for (const content of contents)
      assert.deepEqual(await collect(linesForward(over(content), 0, content.length)), expected(content).slice(0, -1))
  })

  test('are read backwards independently of block boundaries', async () => {
    for (const content of contents)
      assert.deepEqual(await collect(linesBackward(over(content), content.length)), expected(content).toReversed())
  })

  test('are found from any position', async () => {
    for (const content of contents) {
      const starts = expected(content).map(([start]) => start)
      for (const position of [0, 1, block - 2, block, block + 5, content.length - 1]) {
        const next = starts.find((start) => start > position && start < content.length)
        assert.equal(await lineStartAfter(over(content), position, content.length), next)
      }
    }
  })

  test('of an empty file are one empty remainder', async () => {
    assert.deepEqual(await collect(linesBackward(over(Buffer.alloc(0)), 0)), [[0, '']])
    assert.deepEqual(await collect(linesForward(over(Buffer.alloc(0)), 0, 0)), [])
  })
})
