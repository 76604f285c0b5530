// What is said of arguments that are not what a tool takes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkArguments } from '../../src/tools/schema.ts'

const schema = {
  type: 'object',
  $defs: { pair: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 } },
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 5 },
    count: { type: 'integer', minimum: 1, maximum: 3 },
    kind: { enum: ['a', 'b'] },
    at: { $ref: '#/$defs/pair' },
    either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    deep: { type: 'object', properties: { flag: { type: 'boolean' } }, required: ['flag'] },
    self: { $ref: '#' },
  },
  required: ['name'],
  additionalProperties: false,
}

describe('arguments', () => {
  it('that fit are let through, also where the schema says what is not known here', () => {
    for (const value of [
      { name: 'a' },
      { name: 'ä€😀', count: 3, kind: 'b', at: [1, 2.5], either: null, deep: { flag: true, more: 1 } },
      { name: 'a', self: { name: 'b' } },
    ])
      assert.deepEqual(checkArguments(schema, value), [])
    assert.deepEqual(checkArguments({}, { any: 1 }), [])
    assert.deepEqual(
      checkArguments(
        { type: 'object', properties: { x: { type: 'string', pattern: '^(a+)+$', format: 'uri' } } },
        { x: `${'a'.repeat(40)}b` },
      ),
      [],
    )
    assert.deepEqual(checkArguments({ properties: { x: { $ref: 'https://elsewhere/schema' } } }, { x: 1 }), [])
  })

  it('that do not are told with the place, what was expected, and what was got', () => {
    const cases: [unknown, RegExp][] = [
      [[], /^the arguments: expected object, got array$/],
      [{}, /^the arguments: name is missing$/],
      [{ name: 1 }, /^name: expected string, got integer$/],
      [{ name: '' }, /^name: expected 1 to 5 characters, got 0$/],
      [{ name: 'a', count: 1.5 }, /^count: expected integer, got number$/],
      [{ name: 'a', count: 4 }, /^count: expected 1 to 3, got 4$/],
      [{ name: 'a', kind: 'c' }, /^kind: expected "a" or "b"$/],
      [{ name: 'a', at: [1] }, /^at: expected 2 to 2 items, got 1$/],
      [{ name: 'a', at: [1, 'x'] }, /^at\.1: expected number, got string$/],
      [{ name: 'a', either: 1 }, /^either: expected string, got integer$/],
      [{ name: 'a', deep: {} }, /^deep: flag is missing$/],
      [{ name: 'a', other: 1 }, /expected name, count, kind, at, either, deep, self, got other$/],
      [{ name: 'a', self: { name: 'b', self: {} } }, /^self\.self: name is missing$/],
      [JSON.parse('{"name":"a","__proto__":1}'), /got __proto__$/],
    ]
    for (const [value, why] of cases) assert.match(checkArguments(schema, value).join('; '), why)
  })

  it('of a schema without an end are not followed for ever', () => {
    const endless = { $defs: { a: { $ref: '#/$defs/a' } }, properties: { x: { $ref: '#/$defs/a' } } }
    assert.deepEqual(checkArguments(endless, { x: 1 }), [])
  })
})
