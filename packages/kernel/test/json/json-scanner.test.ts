// The scanner counts the structure of JSON before anything is parsed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonNameBytes } from '@gatehouse/contracts'
import { fc } from '@gatehouse/testkit/random'
import { checkJson, type JsonFault, JsonRefused, JsonScanner, parseJson } from '../../src/index.ts'

const wide = { from: 'a test', bytes: 1_000_000, levels: 1_000, values: 100_000 }

const scan = (chunks: readonly Uint8Array[], bounds = wide): JsonFault | undefined => {
  const scanner = new JsonScanner(bounds)
  return chunks.map((chunk) => scanner.push(chunk)).at(-1)
}

const inPieces = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
}

/** Number of values and names, and of levels, in the parsed document. */
const countOf = (value: unknown): { values: number; levels: number } => {
  if (typeof value !== 'object' || value === null) return { values: 1, levels: 0 }
  const names = Array.isArray(value) ? 0 : Object.keys(value).length
  const below = Object.values(value).map(countOf)
  return {
    values: 1 + names + below.reduce((sum, one) => sum + one.values, 0),
    levels: 1 + below.reduce((most, one) => Math.max(most, one.levels), 0),
  }
}

/** The default profile uses a committed seed; the full profile uses new documents in each run. */
const rounds = process.env['GATEHOUSE_PROFILE'] === 'full' ? { numRuns: 20_000 } : { numRuns: 150 }

test('the counts equal those of the parsed document, however it is split', () => {
  const document = fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' })
  fc.assert(
    fc.property(document, fc.integer({ min: 1, max: 40 }), fc.nat({ max: 3 }), (value, size, indent) => {
      const { values, levels } = countOf(value)
      const pieces = inPieces(JSON.stringify(value, null, indent), size)
      assert.equal(scan(pieces, { ...wide, values, levels }), undefined)
      if (values > 1) assert.equal(scan(pieces, { ...wide, levels, values: values - 1 }), 'values')
      if (levels > 0) assert.equal(scan(pieces, { ...wide, values, levels: levels - 1 }), 'levels')
    }),
    rounds,
  )
})

const hostile: Readonly<Record<string, readonly [string, JsonFault]>> = {
  'deep arrays': ['['.repeat(1_001), 'levels'],
  'deep objects': ['{"a":'.repeat(1_001), 'levels'],
  'closed and opened again': [`[${'[],'.repeat(1_000)}`.repeat(200), 'values'],
  'empty objects': [`[${'{},'.repeat(100_000)}1]`, 'values'],
  numbers: [`[${'1,'.repeat(100_000)}1]`, 'values'],
  words: [`[${'null,'.repeat(100_000)}1]`, 'values'],
  'texts of one character': [`[${'"a",'.repeat(100_000)}1]`, 'values'],
  'members under one name': [`{${'"a":1,'.repeat(50_000)}"b":1}`, 'values'],
  'a long name': [`{"${'a'.repeat(jsonNameBytes + 1)}":1}`, 'name'],
  'a long name of escapes': [`{"${String.raw`\u0000`.repeat(jsonNameBytes / 6 + 1)}":1}`, 'name'],
  'a long second name': [`{"a":[{}],"${'a'.repeat(jsonNameBytes + 1)}":1}`, 'name'],
  'too many bytes': [`"${'a'.repeat(1_000_000)}"`, 'bytes'],
  'a text of escapes': [`"${String.raw`\n`.repeat(333_334)}"`, 'escapes'],
  'texts of escapes': [`["${`${String.raw`\u0000\"`.repeat(1_000)}","`.repeat(101)}"]`, 'escapes'],
  'white space without end': [' '.repeat(1_000_001), 'bytes'],
}

for (const [name, [text, fault]] of Object.entries(hostile)) {
  test(`${name} is refused for its ${fault}, whole and in pieces`, () => {
    for (const size of [1, 7, 4_096, text.length]) assert.equal(scan(inPieces(text, size)), fault)
  })
}

test('the content of strings is not counted as structure, whatever escapes they contain', () => {
  const bounds = { ...wide, levels: 1, values: 3 }
  const inside = [
    '[[[[{{{{',
    ',,,,::::',
    String.raw`\"[[[\"`,
    String.raw`\\\\\"[`,
    String.raw`\u005b[[`,
    'é😀[['.repeat(50),
    '\\\\'.repeat(40),
  ]
  for (const text of inside)
    for (const size of [1, 2, 3, 33, 1_000]) assert.equal(scan(inPieces(`["${text}","${text}"]`, size), bounds), undefined, text)
})

test('a string of any length is one value, and only names have a length limit', () => {
  const long = 'a'.repeat(jsonNameBytes * 10)
  for (const text of [`["${long}"]`, `{"a":"${long}","b":"${long}"}`, `[{"a":{"b":1}},"${long}"]`])
    assert.equal(scan(inPieces(text, 100)), undefined)
})

test('an escape counts as one more byte, however the document is split', () => {
  const document = Buffer.from(JSON.stringify({ 'a"b': ['x\n', '\\', `${'long '.repeat(20)}\t\u0001`] }))
  const escapes = 5
  for (let size = 1; size <= document.length; size += 1) {
    const pieces = inPieces(document.toString(), size)
    assert.equal(scan(pieces, { ...wide, bytes: document.length + escapes }), undefined)
    assert.equal(scan(pieces, { ...wide, bytes: document.length + escapes - 1 }), 'escapes')
  }
})

test('invalid UTF-8 does not hide structure', () => {
  const broken = Buffer.concat([Buffer.from('["'), Buffer.from([0xe2, 0xff, 0xc0]), Buffer.from(`",${'['.repeat(1_001)}`)])
  assert.equal(scan([broken]), 'levels')
})

test('the error names the exceeded limit and never quotes the document', () => {
  const bounds = { from: 'a test', bytes: 50, levels: 2, values: 5 }
  for (const [text, message] of [
    ['[[[]]]', /^the document is nested deeper than 2 levels$/],
    ['[1,2,3,4,5]', /^the document has more than 5 values and names$/],
    [`"${'secret'.repeat(10)}"`, /^the document is larger than 50 bytes$/],
    ['{"secret": x}', /^the document is not valid JSON$/],
  ] as const)
    assert.throws(
      () => parseJson(text, bounds),
      (error) => error instanceof JsonRefused && message.test(error.message),
    )
})

test('a document over a limit never reaches the parser', (t) => {
  const parser = t.mock.method(JSON, 'parse')
  for (const [text] of Object.values(hostile)) assert.throws(() => parseJson(text, wide), JsonRefused)
  assert.equal(parser.mock.callCount(), 0)
  parseJson('[1]', wide)
  assert.equal(parser.mock.callCount(), 1)
})

test('bytes and text give the same value', () => {
  for (const value of [{ a: ['ü', 1, null] }, 'text', [[]], {}]) {
    const text = JSON.stringify(value)
    assert.deepEqual(parseJson(text, wide), value)
    assert.deepEqual(parseJson(Buffer.from(text), wide), value)
    assert.deepEqual(parseJson(new Uint8Array(Buffer.from(`  ${text}`)).subarray(2), wide), value)
    checkJson(text, wide)
  }
})
