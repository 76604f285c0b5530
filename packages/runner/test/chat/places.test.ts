// Who may push what out of the memory of requests that may come again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionID } from '@gatehouse/contracts'
import { IdempotencyIndex } from '../../src/state/idempotency-index.ts'

const session = (letter: string): SessionID => `ses_${letter.repeat(13)}` as SessionID
const person = (key: string) => ({ principal: 'admin', key })
const slack = (key: string) => ({ principal: 'channel:slack', key })

const flooded = (): IdempotencyIndex => {
  const repeats = new IdempotencyIndex({ people: { most: 3 }, channel: { most: 6, mostOfOne: 4 } })
  repeats.keep(person('kept'), session('a'))
  repeats.keep({ principal: 'channel:email', key: 'kept' }, session('b'))
  repeats.keep(slack('calm'), session('c'))
  for (let count = 0; count < 1_000; count += 1) repeats.keep(slack(`flood-${count}`), session('d'))
  return repeats
}

test('a flood from one conversation takes no place from people, from other channels or from calm conversations', () => {
  const repeats = flooded()
  assert.deepEqual(
    [repeats.placeOf(person('kept')), repeats.placeOf({ principal: 'channel:email', key: 'kept' }), repeats.placeOf(slack('calm'))],
    [session('a'), session('b'), session('c')],
  )
})

test('what the flood itself leaves is bounded, the newest of it', () => {
  const repeats = flooded()
  const known = Array.from({ length: 1_000 }, (_, count) => count).filter((count) => repeats.placeOf(slack(`flood-${count}`)) !== undefined)
  assert.deepEqual(known, [996, 997, 998, 999])
})

test('many conversations of one channel leave its newest in all', () => {
  const repeats = new IdempotencyIndex({ people: { most: 3 }, channel: { most: 6, mostOfOne: 4 } })
  for (const letter of 'bcdefghi') repeats.keep(slack(letter), session(letter))
  assert.deepEqual(
    'bcdefghi'.split('').filter((letter) => repeats.placeOf(slack(letter)) !== undefined),
    'defghi'.split(''),
  )
})

test('a key that is kept anew elsewhere counts there, and among the newest', () => {
  const repeats = new IdempotencyIndex({ people: { most: 2 }, channel: { most: 2, mostOfOne: 1 } })
  repeats.keep(slack('x'), session('b'))
  repeats.keep(slack('y'), session('c'))
  repeats.keep(slack('x'), session('d'))
  repeats.keep(slack('z'), session('b'))
  assert.deepEqual(
    ['x', 'y', 'z'].map((key) => repeats.placeOf(slack(key))),
    [session('d'), undefined, session('b')],
  )
})
