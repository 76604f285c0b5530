// Server-sent events out of pieces: whatever the cuts, the events are the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEventParser, type ServerEvent } from '../src/events.ts'

const parse = (...pieces: string[]): ServerEvent[] => {
  const take = createEventParser()
  return pieces.flatMap((piece) => take(piece))
}

test('reads id, name and data, and the defaults of what is left out', () => {
  assert.deepEqual(parse('id: 7\nevent: apply\ndata: {"a":1}\n\ndata:plain\n\n'), [
    { id: '7', event: 'apply', data: '{"a":1}' },
    { id: '7', event: 'message', data: 'plain' },
  ])
})

test('joins the lines of one event', () => {
  assert.deepEqual(parse('data: a\ndata:  b\ndata\n\n'), [{ id: undefined, event: 'message', data: 'a\n b\n' }])
})

test('leaves out comments and unknown fields, and takes an id alone for a mark', () => {
  assert.deepEqual(parse(': ping\n\nretry: 5\n\nid: 3\n\n: ping\n\n'), [{ id: '3', event: 'message', data: undefined }])
})

test('takes no id with a NUL', () => {
  assert.deepEqual(parse('id: 1\0\ndata: x\n\n'), [{ id: undefined, event: 'message', data: 'x' }])
})

test('gives nothing for an event that is not complete', () => {
  assert.deepEqual(parse('id: 7\ndata: x\n'), [])
})

test('reads the same events wherever the text is cut and however its lines end', () => {
  const text = 'id: 1\nevent: apply\ndata: {"by":"ann: bob"}\n\n: ping\n\nid: 2\ndata: a\ndata: b\n\n'
  const whole = parse(text)
  assert.equal(whole.length, 2)
  for (const end of ['\n', '\r\n', '\r']) {
    const written = text.replaceAll('\n', end)
    for (let cut = 0; cut <= written.length; cut += 1) {
      // A last carriage return waits for what follows.
      assert.deepEqual(parse(written.slice(0, cut), written.slice(cut), ': end\n'), whole, `${JSON.stringify(end)} at ${cut}`)
    }
  }
})
