// A diff shows what goes and what comes.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { Change } from '@gatehouse/contracts'
import { diffLines } from '../../src/output/diff.ts'

const plain = new PassThrough()
const lines = (before: Change['before'], diff: Change['diff']): string[] => diffLines({ before, diff }, plain)

test('shows removed values as they stood when their turn came', () => {
  const diff: Change['diff'] = [
    { op: 'add', path: '/tools/0', value: 'first' },
    { op: 'remove', path: '/tools/1' },
    { op: 'replace', path: '/tools/1', value: 'last' },
  ]
  assert.deepEqual(lines({ tools: ['gone', 'old'] }, diff), [
    '+ /tools/0: first',
    '- /tools/1: gone',
    '- /tools/1: old',
    '+ /tools/1: last',
  ])
})

test('shows texts of several lines line by line, and nothing that a terminal would obey', () => {
  const diff: Change['diff'] = [{ op: 'replace', path: '/instructions', value: 'one\ntwo\u001b[2J' }]
  assert.deepEqual(lines({ instructions: 'old' }, diff), ['- /instructions: old', '+ /instructions:', '+   one', '+   two\\u{1b}[2J'])
})

test('reads names with a slash, and a whole that was not there', () => {
  assert.deepEqual(lines({ 'a/b': { c: 1 } }, [{ op: 'remove', path: '/a~1b/c' }]), ['- /a~1b/c: 1'])
  for (const op of ['add', 'replace'] as const) assert.deepEqual(lines(null, [{ op, path: '', value: 'new' }]), ['+ new'])
})

test('shows a whole that comes to be member by member, and a short list on one line', () => {
  const value = { server: 'sample', tools: ['echo', 'add'], 'a/b': { c: ['\u001b[2J'] } }
  assert.deepEqual(lines(null, [{ op: 'add', path: '', value }]), [
    '+ /server: sample',
    '+ /tools: ["echo","add"]',
    '+ /a~1b:',
    '+   {',
    '+     "c": [',
    '+       "\\u001b[2J"',
    '+     ]',
    '+   }',
  ])
  assert.deepEqual(lines(null, [{ op: 'add', path: '', value: {} }]), ['+ {}'])
})
