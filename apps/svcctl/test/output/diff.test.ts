// Fields of a change are shown as before → after.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { Change } from '@gatehouse/contracts'
import { diffLines } from '../../src/output/diff.ts'

const stream = new PassThrough()
const lines = (before: Change['before'], diff: Change['diff']): string[] => diffLines({ before, diff }, { stream })

test('a short value stands on one line, before and after', () => {
  const diff: Change['diff'] = [
    { op: 'add', path: '/tools/0', value: 'first' },
    { op: 'remove', path: '/tools/1' },
    { op: 'replace', path: '/tools/1', value: 'last' },
    { op: 'add', path: '/limits/callsPerMinute', value: 5 },
    { op: 'remove', path: '/name' },
  ]
  const before = { tools: ['gone', 'old'], limits: { memoryMiB: 64 }, name: 'x' }
  assert.deepEqual(lines(before, diff), ['tools: gone, old → first, last', 'limits.callsPerMinute: none → 5', 'name: x → none'])
})

test('a text of several lines is shown line by line, and nothing that a terminal would obey', () => {
  const diff: Change['diff'] = [{ op: 'replace', path: '/instructions', value: 'one\ntwo\u001b[2J' }]
  assert.deepEqual(lines({ instructions: 'old' }, diff), ['instructions:', '  - old', '  + one', '  + two\\u{1b}[2J'])
})

test('a long list shows the items that go and come, and counts the others', () => {
  const mount = (name: string, mode = 'ro') => ({ source: `/srv/long/path/of/${name}`, target: `/mnt/${name}`, mode })
  const diff: Change['diff'] = [{ op: 'replace', path: '/mounts', value: [mount('a'), mount('c', 'rw')] }]
  assert.deepEqual(lines({ mounts: [mount('a'), mount('b')] }, diff), [
    'mounts:',
    '  - source=/srv/long/path/of/b target=/mnt/b mode=ro',
    '  + source=/srv/long/path/of/c target=/mnt/c mode=rw',
    '    1 unchanged',
  ])
})

test('names with a slash are read, and a whole that is new is shown field by field', () => {
  assert.deepEqual(lines({ 'a/b': { c: 1 } }, [{ op: 'remove', path: '/a~1b/c' }]), ['a/b.c: 1 → none'])
  assert.deepEqual(lines(null, [{ op: 'add', path: '', value: { server: 'sample', tools: ['echo', 'add'] } }]), [
    'server: none → sample',
    'tools: none → echo, add',
  ])
  assert.deepEqual(lines(null, [{ op: 'add', path: '', value: 'new' }]), ['value: none → new'])
})

test('a value is told by its meaning where its form says something else', () => {
  const meaning = (field: string, value: unknown) =>
    field === 'tools' && Array.isArray(value) && value.length === 0 ? 'every tool' : undefined
  const diff: Change['diff'] = [{ op: 'replace', path: '/tools', value: [] }]
  assert.deepEqual(diffLines({ before: { tools: ['echo'] }, diff }, { stream, meaning }), ['tools: echo → every tool'])
})
