// Which schemas mark their arguments for headers as the stateless revision allows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasUsableMarks } from '../../src/upstream/argument-headers.ts'

const of = (...marks: unknown[]) => ({
  type: 'object',
  properties: Object.fromEntries(marks.map((mark, at) => [`p${at}`, { type: 'string', 'x-mcp-header': mark }])),
})

test('accepts marks on primitive properties at any depth of properties', () => {
  assert.ok(hasUsableMarks({ type: 'object' }))
  assert.ok(hasUsableMarks(of('Region', 'X-Tenant')))
  assert.ok(hasUsableMarks({ type: 'object', properties: { a: of('Region') } }))
  assert.ok(hasUsableMarks({ type: 'object', properties: { a: { type: 'string', default: { 'x-mcp-header': 'a' } } } }))
})

for (const [what, schema] of Object.entries({
  'an empty name': of(''),
  'a name that is no text': of(7),
  'a name with a space': of('a b'),
  'a name with a line break': of('a\r\nb'),
  'a name outside ASCII': of('ä'),
  'one name twice': of('A', 'A'),
  'one name twice in other letters': of('Region', 'REGION'),
  'a mark on a number': { properties: { a: { type: 'number', 'x-mcp-header': 'A' } } },
  'a mark on a list': { properties: { a: { type: 'array', 'x-mcp-header': 'A' } } },
  'a mark on the whole': { type: 'object', 'x-mcp-header': 'A' },
  'a mark in an item': { properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } } },
  'a mark in a choice': { anyOf: [of('A')] },
  'a mark in a definition': { $defs: { a: of('A') } },
}))
  test(`refuses ${what}`, () => {
    assert.equal(hasUsableMarks(schema), false)
  })
