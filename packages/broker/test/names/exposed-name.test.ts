// Names of tools as agents see them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposedName, parseName } from '../../src/names/exposed-name.ts'
import { createNameTable } from '../../src/names/table.ts'

test('parts a name at its first separator', () => {
  assert.deepEqual(parseName('sample__echo'), { server: 'sample', tool: 'echo' })
  assert.deepEqual(parseName('a__b__c'), { server: 'a', tool: 'b__c' })
  assert.deepEqual(parseName('a___b'), { server: 'a', tool: '_b' })
})

test('takes nothing for a name that lacks a server or a tool', () => {
  for (const name of ['', 'echo', '__', '__echo', 'sample__', 'a_b']) assert.equal(parseName(name), null, name)
})

test('reads back what it wrote', () => {
  const address = { server: 'git-hub', tool: 'issues.list' }
  assert.deepEqual(parseName(exposedName(address)), address)
})

test('keeps the first of two tools under one name', () => {
  const table = createNameTable([
    { server: 'a', tool: '_b' },
    { server: 'a_', tool: 'b' },
  ])
  assert.deepEqual([...table], [['a___b', { server: 'a', tool: '_b' }]])
})
