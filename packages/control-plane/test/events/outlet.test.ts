// The bound on what a reader leaves unread.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReaderOutlet } from '../../src/events/backpressure-writer.ts'

const create = (most: number) => {
  const seen: string[] = []
  const outlet = new ReaderOutlet({ most, onClose: () => seen.push('closed'), cut: () => seen.push('cut') })
  return { outlet, seen, reader: outlet.stream.getReader() }
}
const bytes = (size: number): Uint8Array => new Uint8Array(size)

test('hands through what its reader takes, however much', async () => {
  const { outlet, seen, reader } = create(10)
  let size = 0
  for (let i = 0; i < 50; i += 1) {
    const read = reader.read()
    await new Promise((resolve) => setImmediate(resolve))
    outlet.write(bytes(1000))
    size += (await read).value?.byteLength ?? 0
  }
  assert.equal(size, 50_000)
  assert.deepEqual(seen, [])
})

test('cuts off a reader that leaves more than that unread, once', async () => {
  const { outlet, seen } = create(100)
  outlet.write(bytes(60))
  assert.ok(outlet.isOpen())
  outlet.write(bytes(60))
  assert.ok(!outlet.isOpen())
  outlet.write(bytes(60))
  outlet.end()
  assert.deepEqual(seen, ['closed', 'cut'])
})

test('waits until everything was taken, and for nobody who is gone', async () => {
  const { outlet, reader } = create(1e6)
  outlet.write(bytes(200_000))
  const taken = outlet.taken()
  assert.equal(await Promise.race([taken.then(() => 'taken'), Promise.resolve('waits')]), 'waits')
  for (let left = 200_000; left > 0;) left -= (await reader.read()).value?.byteLength ?? 0
  await taken
  outlet.write(bytes(200_000))
  const never = outlet.taken()
  await reader.cancel()
  await never
})

test('ends in order for a reader that has taken all, and at once for another', async () => {
  const orderly = create(100)
  orderly.outlet.end()
  assert.equal((await orderly.reader.read()).done, true)
  assert.deepEqual(orderly.seen, ['closed'])
  const late = create(100)
  late.outlet.write(bytes(10))
  late.outlet.end()
  assert.deepEqual(late.seen, ['closed', 'cut'])
})
