// Names of tools as agents see them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distinctName, exposedName, exposedPrefix, parseName } from '@gatehouse/kernel'
import { fc } from '@gatehouse/testkit/random'
import { createNameTable } from '../../src/calls/session.ts'

test('parts a name at its first separator', () => {
  assert.deepEqual(parseName('sample__echo'), { server: 'sample', tool: 'echo' })
  assert.deepEqual(parseName('a__b__c'), { server: 'a', tool: 'b__c' })
  assert.deepEqual(parseName('a___b'), { server: 'a', tool: '_b' })
})

test('takes nothing for a name that lacks a server or a tool', () => {
  for (const name of ['', 'echo', '__', '__echo', 'sample__', 'a_b']) assert.equal(parseName(name), null, name)
})

test('leaves a name alone that every model API takes', () => {
  for (const tool of ['echo', 'read_file', 'Read-2', 'x'.repeat(56)])
    assert.equal(exposedName({ server: 'sample', tool }), `sample__${tool}`)
})

test('makes every other name one that they take, and a different one for each tool', () => {
  const odd = [
    'issues.list',
    'issues_list.',
    'issues/list',
    'a b',
    'ünïcode',
    '🙂',
    'x'.repeat(57),
    `${'x'.repeat(56)}y`,
    '"',
    '$ref',
    '..',
  ]
  const names = odd.map((tool) => exposedName({ server: 'git-hub', tool }))
  for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
  assert.equal(new Set(names).size, odd.length)
  assert.match(names[0] ?? '', /^git-hub__issues_list_[0-9a-f]{8}$/)
})

test('every name that can be declared becomes one that a model API takes, and no two tools share one', () => {
  const server = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9.-]|_[A-Za-z0-9]){0,31}_?$/)
  const tool = fc.stringMatching(/^[\x21-\x7e]{1,128}$/)
  const address = fc.record({ server, tool })
  fc.assert(
    fc.property(fc.uniqueArray(address, { selector: ({ server, tool }) => `${server} ${tool}`, maxLength: 40 }), (addresses) => {
      const table = createNameTable(addresses)
      for (const [name, address] of table) {
        assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
        assert.ok(name.startsWith(exposedPrefix(address.server)))
      }
      assert.equal(table.size, addresses.length)
    }),
    { numRuns: 300 },
  )
})

test('gives both of two tools that want one name another, the same ones in whatever order they come', () => {
  const two = [
    { server: 'a', tool: '_b' },
    { server: 'a_', tool: 'b' },
    { server: 'a', tool: 'c' },
  ]
  const table = createNameTable(two)
  assert.deepEqual([...table.keys()].toSorted(), [...createNameTable(two.toReversed()).keys()].toSorted())
  assert.equal(table.has('a___b'), false)
  assert.deepEqual(
    [...table].map(([name, { server }]) => [name.replace(/[0-9a-f]{8}$/, '#'), server]),
    [
      ['a___b_#', 'a'],
      ['a___b_#', 'a_'],
      ['a__c', 'a'],
    ],
  )
})

test('a tool that takes the name which two others were moved to does not get it', () => {
  const [one, two] = [
    { server: 'a', tool: '_b' },
    { server: 'a_', tool: 'b' },
  ]
  const thief = { server: 'a_', tool: distinctName(one).slice('a___'.length) }
  assert.equal(exposedName(thief), distinctName(one))
  for (const order of [
    [one, two, thief],
    [thief, two, one],
  ]) {
    const table = createNameTable(order)
    assert.deepEqual([table.size, table.get(distinctName(one))], [3, one])
  }
})

test('a tool that takes the name which another one was given does not get it', () => {
  const odd = { server: 'a', tool: 'x.y' }
  const thief = { server: 'a', tool: exposedName(odd).slice('a__'.length) }
  const table = createNameTable([odd, thief])
  assert.equal(table.size, 2)
  assert.deepEqual(
    [...table.values()].filter(({ tool }) => tool === odd.tool),
    [odd],
  )
  assert.deepEqual(table.get(exposedName(odd)), odd)
})
