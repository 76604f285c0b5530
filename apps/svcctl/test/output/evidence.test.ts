// What an approver sees of evidence: tables and sentences that leave nothing out, and anything else as it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PassThrough } from 'node:stream'
import { evidenceLines as linesIn } from '../../src/output/evidence.ts'

const evidenceLines = (evidence: Parameters<typeof linesIn>[0]): string[] => linesIn(evidence, new PassThrough())

const digest = '5'.repeat(64)
const echo = {
  name: 'echo',
  title: 'Echo',
  description: 'Answers with the text.\nAnd no more.',
  inputSchema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { text: { type: 'string', description: 'What to answer' }, times: { type: 'integer' } },
    required: ['text'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
}
const observed = (tools: readonly object[], more: object = {}) => ({
  status: 'observed',
  server: 'sample',
  entryDigest: digest,
  at: '2026-01-02T03:04:05.678Z',
  age: 4,
  missing: [],
  tools,
  drift: [],
  ...more,
})

test('shows tools as a table that marks the destructive ones, and then argument by argument', () => {
  const remove = { ...echo, name: 'remove', title: 'Remove', annotations: { destructiveHint: true } }
  const lines = evidenceLines(observed([echo, remove], { missing: ['gone'] }))
  assert.match(lines[0] ?? '', /^Tools that sample declared .* ago \(2026-01-02T03:04:05.678Z\)\.$/)
  assert.deepEqual(lines.slice(1, 14), [
    `catalog entry ${digest}`,
    'requested, but not declared: gone',
    'TOOL    EFFECT       DESCRIPTION',
    'echo    read-only    Echo',
    'remove  DESTRUCTIVE  Remove',
    '',
    'echo',
    '  title      Echo',
    '  about      Answers with the text.',
    '             And no more.',
    '  argument   text (string): What to answer',
    '  argument   times (integer, optional)',
    '  hints      {"readOnlyHint":true}',
  ])
})

test('says who can write at each address that is routed to the group', () => {
  const at = (people: unknown) => ({ channel: 'slack', address: 'C1\u202e', people })
  assert.deepEqual(evidenceLines({ status: 'heard', places: [at('anyone'), at(['U1', 'U2\u0007']), at([])] }), [
    'slack C1\\u{202e}: anyone who can write there',
    'slack C1\\u{202e}: U1, U2\\u{7}',
    'slack C1\\u{202e}: nobody',
  ])
  assert.deepEqual(evidenceLines({ status: 'heard', places: [] }), ['no channel address is routed to it'])
})

test('shows mounts and packages as tables, and says so where there is no evidence', () => {
  const at = '2026-01-02T03:04:05.678Z'
  const mounts = [{ source: '/data', real: '/srv/data', type: 'directory', owner: 0, mode: '755' }, { source: '/gone' }]
  assert.deepEqual(evidenceLines({ status: 'sighted', at, age: 1, mounts }).slice(1), [
    'PATH   TYPE       REAL PATH  OWNER  MODE  DEVICE',
    '/data  directory  /srv/data  uid 0  755   -',
    '/gone  missing    -          -      -     -',
  ])
  assert.match(evidenceLines({ status: 'unavailable', server: 'sample' })[0] ?? '', /^None: sample could not be inspected in time\.$/)
})

/** Every text of a document, keys too. */
const textsOf = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).flatMap(([key, member]) => [...(Array.isArray(value) ? [] : [key]), ...textsOf(member)])
}

/** Told by the word `argument`, and by what is not said of one that is required. */
const told: ReadonlySet<string> = new Set(['$schema', 'type', 'object', 'properties', 'required', 'additionalProperties', 'false'])

test('leaves nothing out of a schema that words do not tell', () => {
  const { inputSchema } = echo
  const property = (more: object) => ({ ...inputSchema, properties: { text: { type: 'string', ...more } } })
  const schemas: object[] = [
    property({ enum: ['do as I say'] }),
    property({ constructor: 'do as I say' }),
    property({ toString: 'do as I say' }),
    { ...inputSchema, valueOf: 'do as I say' },
    property({ title: 'do as I say' }),
    property({ default: 'do as I say' }),
    { ...inputSchema, properties: { constructor: { type: 'string', description: 'do as I say' } } },
    { ...inputSchema, properties: { prototype: { type: 'string', enum: ['do as I say'] } } },
    { ...inputSchema, description: 'do as I say' },
    { ...inputSchema, $schema: 'do as I say' },
    { ...inputSchema, required: ['do as I say'] },
    { ...inputSchema, additionalProperties: { description: 'do as I say' } },
    { ...inputSchema, properties: { list: { type: 'array', items: { description: 'do as I say' } } } },
  ]
  for (const schema of schemas) {
    const shown = evidenceLines(observed([{ ...echo, inputSchema: schema }])).join('\n')
    assert.ok(shown.includes('do as I say'))
    for (const text of textsOf(schema).filter((one) => !told.has(one)))
      assert.ok(shown.includes(text), `${text} of ${JSON.stringify(schema)}`)
  }
  const more = { outputSchema: { type: 'object', description: 'do as I say' }, annotations: { title: 'do as I say' } }
  for (const [key, value] of Object.entries(more)) {
    const shown = evidenceLines(observed([{ ...echo, [key]: value }])).join('\n')
    for (const text of textsOf(value)) assert.ok(shown.includes(text), `${text} of ${key}`)
  }
  assert.match(
    evidenceLines(observed([echo], { drift: [{ tool: 'echo', was: echo }] })).join('\n'),
    /Tool definitions changed since approval: echo\n.*"tool"/s,
  )
})

test('hands nothing to a terminal that it would obey, and shows evidence of any other form as it is', () => {
  const hostile = '\u001b[2J\u202e\r'
  const tool = {
    name: hostile,
    title: hostile,
    description: hostile,
    inputSchema: { type: 'object', properties: { [hostile]: { type: 'string', description: hostile } } },
    annotations: { [hostile]: hostile },
    outputSchema: { [hostile]: hostile },
  }
  const deep = { ...tool, inputSchema: { ...tool.inputSchema, [hostile]: hostile } }
  for (const evidence of [observed([tool, deep], { missing: [hostile] }), { note: hostile }, { status: 'observed', note: hostile }]) {
    for (const line of evidenceLines(evidence)) assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
  }
  assert.deepEqual(evidenceLines({ note: 'x' }), ['{', '  "note": "x"', '}'])
  assert.deepEqual(evidenceLines(null), ['none'])
})
