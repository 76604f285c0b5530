// What is counted of an answer, and where it is cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as cut from '../src/create-outlet.ts'

const most = 8 * 1024 * 1024
const limitBody = (body: AsyncIterable<Buffer>): AsyncIterable<Buffer> => cut.limitBody(body, most)
const limitEvents = (body: AsyncIterable<Buffer>): AsyncIterable<Buffer> => cut.limitEvents(body, most)

async function* chunks(texts: Iterable<string>): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}
const total = async (body: AsyncIterable<Buffer>): Promise<number> => {
  let size = 0
  for await (const chunk of body) size += chunk.length
  return size
}
const mebibyte = 'x'.repeat(1024 * 1024)
function* repeat(text: string, times: number): Generator<string> {
  for (let at = 0; at < times; at += 1) yield text
}

test('cuts a body beyond the limit, and passes one at the limit', async () => {
  assert.equal(await total(limitBody(chunks(repeat(mebibyte, most / mebibyte.length)))), most)
  await assert.rejects(total(limitBody(chunks([...repeat(mebibyte, 8), 'y']))), { kind: 'too-large' })
})

for (const end of ['\n\n', '\r\n\r\n', '\r\r'])
  test(`lets a stream go on for ever when its events end with ${JSON.stringify(end)}`, async () => {
    const event = `data: ${mebibyte}${end}`
    assert.equal(await total(limitEvents(chunks(repeat(event, 20)))), 20 * event.length)
  })

test('sees an end of an event that lies across two chunks', async () => {
  const events = [...repeat(mebibyte, 7), '\r', '\n\r', '\n', ...repeat(mebibyte, 7), '\n', '\n', ...repeat(mebibyte, 7)]
  assert.ok((await total(limitEvents(chunks(events)))) > most)
})

test('cuts one event beyond the limit, also after others and also when its end is in the same chunk', async () => {
  await assert.rejects(total(limitEvents(chunks(['data: a\n\n', ...repeat(mebibyte, 9)]))), { kind: 'too-large' })
  await assert.rejects(total(limitEvents(chunks([mebibyte.repeat(9).concat('\n\n')]))), { kind: 'too-large' })
})
