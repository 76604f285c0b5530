// Output lines of a sandbox and their limits.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createOutput } from '../src/output.ts'

const collect = async (lines: AsyncIterable<string>): Promise<string[]> => {
  const found: string[] = []
  for await (const line of lines) found.push(line)
  return found
}

describe('output', () => {
  it('splits chunks into lines at any boundary and does not mix two pipes', async () => {
    const output = createOutput()
    const [out, err] = [output.pipe(), output.pipe()]
    out(Buffer.from('on'))
    err(Buffer.from('warning\n'))
    out(Buffer.from('e\ntwo\nthr'))
    out(Buffer.from([0xc3]))
    out(Buffer.from([0xa9, 0x0a]))
    out(Buffer.from('rest'))
    output.end()
    assert.deepEqual(await collect(output.lines), ['warning', 'one', 'two', 'thré', 'rest'])
  })

  it('gives lines to a reader that waits for them', async () => {
    const output = createOutput()
    const out = output.pipe()
    const collected = collect(output.lines)
    setImmediate(() => {
      out(Buffer.from('late\n'))
      output.end()
    })
    assert.deepEqual(await collected, ['late'])
  })

  it('drops output beyond the limit and reports its size', async () => {
    const output = createOutput({ perSecond: 100, total: 1000 })
    const out = output.pipe()
    out(Buffer.from('a'.repeat(59) + '\n'))
    out(Buffer.from('b'.repeat(59) + '\n'))
    output.end()
    assert.deepEqual(await collect(output.lines), ['a'.repeat(59), '[60 bytes of output dropped]'])
  })

  it('buffers at most one second of output without a reader', async () => {
    const output = createOutput({ perSecond: 64, total: 1_000_000 })
    const out = output.pipe()
    for (let count = 0; count < 1000; count += 1) out(Buffer.from('0123456789\n'))
    output.end()
    assert.ok((await collect(output.lines)).join('').length < 200)
  })

  it('cuts a line that never ends', async () => {
    const output = createOutput()
    const out = output.pipe()
    out(Buffer.from('x'.repeat(70_000)))
    output.end()
    assert.deepEqual(
      (await collect(output.lines)).map((line) => line.length),
      [65_536],
    )
  })
})
