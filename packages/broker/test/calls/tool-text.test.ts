// The same list is written once, whoever asks for it; another never takes its place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createListWriter, type ToolText } from '../../src/calls/tool-text.ts'

const listed = (name: string, filler = ''): ToolText => {
  const text = JSON.stringify({ name, filler })
  return { name, tool: { name, server: 's', tool: name, inputSchema: {} }, text, bytes: text.length }
}
const [one, two] = [listed('one'), listed('two')]

test('writes a list once for all who get the same tools, sorted by name', () => {
  const write = createListWriter()
  const first = write([two, one])
  assert.equal(first.toString(), `{"tools":[${one.text},${two.text}]}`)
  assert.equal(write([two, one]), first)
  assert.equal(write([]).toString(), '{"tools":[]}')
  assert.equal(write([two, one]), first)
})

test('writes a list anew when any of its tools is another, also one of the same name', () => {
  const write = createListWriter()
  write([one, two])
  assert.equal(write([one, listed('two', 'changed')]).toString(), `{"tools":[${one.text},${listed('two', 'changed').text}]}`)
  assert.equal(write([one]).toString(), `{"tools":[${one.text}]}`)
})

test('keeps the last few, and none that is large', () => {
  const write = createListWriter()
  const first = write([one])
  for (const name of ['a', 'b', 'c', 'd']) write([listed(name)])
  assert.notEqual(write([one]), first)
  const large = [listed('large', 'x'.repeat(2 ** 20))]
  assert.notEqual(write(large), write(large))
})
