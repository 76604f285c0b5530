// What a human reads: whoever follows the operations comes from one slice to the other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@gatehouse/testkit/random'
import { applyPatch, type Operation } from 'rfc6902'
import { diff } from '../../src/changes/draft.ts'

type Json = Record<string, unknown>

const follow = (before: Json | null, after: Json | null): unknown => {
  const holder = { slice: structuredClone(before) as unknown }
  const moved = diff(before, after).map((operation) => ({ ...operation, path: `/slice${operation.path}` }) as Operation)
  assert.deepEqual(
    applyPatch(holder, moved).filter((error) => error !== null),
    [],
  )
  return holder.slice
}

/** The library that follows operations cannot set a member of this name; that ours are told with it is seen below. */
const unsettable = '__proto__'
const Value = (fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>).filter((value) => !JSON.stringify(value).includes(`"${unsettable}"`))
const Slice = fc.option(fc.dictionary(fc.stringMatching(/^[a-z~/]{1,4}$/), Value, { maxKeys: 5 }))
const plain = (value: Json | null): Json | null => JSON.parse(JSON.stringify(value)) as Json | null

test('the operations lead from any slice to any other', () => {
  fc.assert(
    fc.property(Slice, Slice, (left, right) => {
      const [before, after] = [plain(left), plain(right)]
      assert.deepEqual(follow(before, after), after)
    }),
    { numRuns: 300 },
  )
})

test('a member of the name of a prototype is told like any other', () => {
  const hidden = JSON.parse(`{ "a": { "${unsettable}": { "b": 1 } } }`) as Json
  assert.equal(JSON.stringify(diff(null, hidden)), JSON.stringify([{ op: 'replace', path: '', value: hidden }]))
  assert.deepEqual(
    diff({ a: {} }, hidden).map(({ path }) => path),
    [`/a/${unsettable}`],
  )
})

const Names = fc.array(fc.stringMatching(/^[a-e]$/), { maxLength: 12 })

test('lists of names, with and without order and doubles, come out as they should', () => {
  fc.assert(
    fc.property(Names, Names, (before, after) => {
      assert.deepEqual(follow({ tools: before }, { tools: after }), { tools: after })
    }),
    { numRuns: 500 },
  )
})

test('long lists of objects take no time and come out as they should', () => {
  const people = (from: number) => Array.from({ length: 1000 }, (_, n) => ({ channel: 'slack', user: `U${from + n}` }))
  const operations = diff({ members: people(0) }, { members: people(2) })
  assert.deepEqual(
    operations.map(({ op, path }) => `${op} ${path}`),
    ['remove /members/1', 'remove /members/0', 'add /members/998', 'add /members/999'],
  )
  assert.deepEqual(follow({ members: people(0) }, { members: people(2) }), { members: people(2) })
})

test('a short list of objects is told member by member', () => {
  const mount = (mode: string) => ({ mounts: [{ source: '/srv/a', target: '/mnt/a', mode }] })
  assert.deepEqual(diff(mount('ro'), mount('rw')), [{ op: 'replace', path: '/mounts/0/mode', value: 'rw' }])
})

test('nothing is said where nothing changes', () => {
  fc.assert(fc.property(Slice, (slice) => assert.deepEqual(diff(plain(slice), plain(slice)), [])))
})
