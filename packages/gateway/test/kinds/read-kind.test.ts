// A kind by its name and by its other spellings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNames, kinds } from '@gatehouse/contracts'
import { readKind } from '../../src/kinds/index.ts'

test('every kind is known by its name', () => {
  for (const kind of kindNames) assert.equal(readKind(kind), kind)
})

test('an alias is the kind itself', () => {
  assert.equal(readKind('enabled_tools'), 'tools')
  for (const kind of kindNames) for (const alias of kinds[kind].aliases) assert.equal(readKind(alias), kind)
})

test('what is no kind is refused at its field, with what there is', () => {
  for (const kind of ['', 'Persona', 'npm', 'constructor', '__proto__', 'toString', 'x'.repeat(1000)]) {
    assert.throws(
      () => readKind(kind),
      (error: Error & { errors?: readonly { pointer: string }[] }) =>
        error.errors?.[0]?.pointer === '/kind' && error.message.includes('mcp_register') && error.message.length < 400,
    )
  }
})
