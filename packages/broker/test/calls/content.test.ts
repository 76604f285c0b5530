// What of a server's answer reaches a model.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { interpretAnswer, interpretError } from '../../src/calls/interpret.ts'
import { createRedactor } from '../../src/secrets/redact.ts'
import { UpstreamError } from '../../src/upstream/base/failure.ts'

const address = { server: 'sample', tool: 'echo' }
const read = (result: unknown, secrets: readonly string[] = []) => interpretAnswer(address, { result, redactor: createRedactor(secrets) })
const contentOf = (content: unknown, secrets?: readonly string[]) => read({ content }, secrets).result.content
const text = (value: string) => ({ type: 'text', text: value })

const blocks = [
  { type: 'text', text: 'plain', annotations: { audience: ['user'], priority: 1 }, _meta: { a: 1 } },
  { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'file:///a', name: 'a', title: 'A', size: 3 },
  { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'inside' } },
  { type: 'resource', resource: { uri: 'file:///b', blob: 'aGk=' } },
]

for (const block of blocks)
  test(`passes a block of the kind ${block.type}${'resource' in block && block.resource?.blob !== undefined ? ' with a blob' : ''} as it is`, () =>
    assert.deepEqual(contentOf([block]), [block]))

test('names what is no block of MCP, each kind once, in words that hide nothing', () => {
  const odd = [
    { type: 'video' },
    { type: 'video' },
    { type: 'text' },
    { type: 'image', data: 1 },
    7,
    null,
    { type: 'a\u202eb' },
    { type: '__proto__' },
  ]
  const [first, ...others] = contentOf([text('kept'), ...odd])
  assert.deepEqual(first, text('kept'))
  assert.deepEqual(others, [
    text('[left out: 8 content blocks of a kind that is not supported here: video, text, image, none, a\\u{202e}b, __proto__]'),
  ])
})

test('names no more than a few of very many kinds', () => {
  const [only, ...others] = contentOf(Array.from({ length: 50_000 }, (_, at) => ({ type: `k${at}`.padEnd(200, 'x') })))
  assert.equal(others.length, 0)
  assert.ok(String(only?.['text']).length < 500)
})

test('takes control characters out of every text, and leaves lines, tabs and other languages', () => {
  const dirty = '\u001b[31mred\u001b[0m\u0000 a\tb\nc\r\u0007\u009b1m \u007f\u0085 héllo 🏳️‍🌈 שלום'
  const clean = 'red a\tb\nc1m  héllo 🏳️‍🌈 שלום'
  assert.deepEqual(contentOf([text(dirty)]), [text(clean)])
  const [resource, link] = contentOf([
    { type: 'resource', resource: { uri: 'file:///\u0007a', text: dirty } },
    { type: 'resource_link', uri: 'file:///a', name: dirty },
  ])
  assert.deepEqual([resource?.['resource'], link?.['name']], [{ uri: 'file:///a', text: clean }, clean])
  assert.deepEqual(read({ content: [], structuredContent: { ['a\u0000']: [dirty, 1] } }).result.structuredContent, { a: [clean, 1] })
})

test('shows 256 KiB of text in all, cut between characters, and says how much is missing', () => {
  const half = 'x'.repeat(limits.resultText / 2 + 1)
  const euros = '€'.repeat(limits.resultText)
  const shown = contentOf([text(half), text(euros), text('never'), blocks[1], { type: 'resource', resource: { uri: 'u:a', text: 'no' } }])
  assert.deepEqual(
    shown.map(({ type }) => type),
    ['text', 'text', 'image', 'resource', 'text'],
  )
  const euro = String(shown[1]?.['text'])
  assert.match(euro, /^€+$/)
  assert.ok(half.length + euro.length * 3 <= limits.resultText && half.length + euro.length * 3 > limits.resultText - 3)
  const missing = half.length + limits.resultText * 3 + 'never'.length + 'no'.length - limits.resultText
  assert.equal(shown[4]?.['text'], `[cut: ${missing} more bytes of text are not shown; at most 262144 are]`)
})

test('text of exactly the bound is whole', () => {
  const whole = 'x'.repeat(limits.resultText)
  assert.deepEqual(contentOf([text(whole)]), [text(whole)])
})

test('a cut leaves no part of a value that no answer may hold', () => {
  const secret = 'a-canary-that-stays-on-the-host'
  const [first] = contentOf([text('x'.repeat(limits.resultText - 10) + secret)], [secret])
  assert.doesNotMatch(String(first?.['text']), /a-canary/)
})

test('leaves structured content out that is too large, and says so', () => {
  const { structuredContent, content } = read({ content: [], structuredContent: { a: 'x'.repeat(limits.resultText) } }).result
  assert.equal(structuredContent, undefined)
  assert.match(String(content[0]?.['text']), /^\[left out: structured content of more than 262144 bytes\]$/)
})

test('structured content of exactly the bound is whole, and of one byte more is left out, whatever it is made of', () => {
  const frame = JSON.stringify({ a: [] }).length
  for (const [item, size] of [
    ['x'.repeat(97), 100],
    ['\n'.repeat(48), 99],
    [7, 2],
    [{}, 3],
    [{ name: 'x' }, 13],
  ] as const) {
    const list: unknown[] = Array.from({ length: Math.floor((limits.resultText - frame) / size) - 1 }, () => item)
    const rest = limits.resultText - JSON.stringify({ a: [...list, ''] }).length
    const fits = { a: [...list, 'y'.repeat(rest)] }
    assert.equal(JSON.stringify(fits).length, limits.resultText)
    assert.deepEqual(read({ content: [], structuredContent: fits }).result.structuredContent, fits)
    const over = { a: [...list, 'y'.repeat(rest + 1)] }
    assert.equal(read({ content: [], structuredContent: over }).result.structuredContent, undefined)
  }
})

test('refuses what nobody could write again, what is no result, and what asks for input', () => {
  let deep: unknown = 'x'
  for (let level = 0; level < 5_000; level += 1) deep = [deep]
  const codes = [{ content: [{ type: 'text', text: 'a', _meta: deep }] }, 'text', { resultType: 'later' }, { resultType: 'input_required' }]
  assert.deepEqual(
    codes.map((result) => read(result).code),
    ['too-large', 'upstream-error', 'upstream-error', 'input-required-unsupported'],
  )
})

test('gives the message of an error without control characters, cut, and never half a character', () => {
  const message = (given: string) =>
    interpretError(address, new UpstreamError(-1, given), { signal: new AbortController().signal, wasSent: true }).result.error?.message
  assert.equal(message('\u001b[31mred\u001b[0m\u0007 line\nnext'), 'red line\nnext')
  assert.equal(message(`\u0000${'x'.repeat(1_023)}\u{1f600}`), `${'x'.repeat(1_023)}\ufffd`)
  assert.equal(message('\u0007'), 'the tool server answered with an error')
})
