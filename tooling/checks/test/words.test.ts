// Every pattern finds its example, and leaves plain English alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patterns } from '../src/words/patterns.ts'

const examples: readonly string[] = [
  'The unit starts afresh.',
  'Make the directory beforehand.',
  'The sandbox is meanwhile stopped.',
  'The journal was mended.',
  'This change was asked for by ada.',
  'Says where a layer lacks.',
  'Whoever approves is recorded.',
  'An answer of ours is dropped.',
  'It listens no more.',
  'Every agent, be it a mock, has one.',
  'The message was let go of.',
  'At most so many records.',
  'The limit is the usual.',
  'Nobody knows what became of the change.',
  'It is stored in the state directory alone.',
  'The change waits for a decision.',
  'Who approves a change is recorded.',
]

const plain: readonly string[] = [
  'Restart the unit, then approve the change again.',
  'A recommendation: the layer is missing, and no more than 16 calls run at once.',
  'Who may approve a change?',
  'The agent lacks a grant for this tool.',
  'It runs standalone, or alone on its host. Names are compared by their length alone.',
]

for (const [index, { pattern, instead }] of patterns.entries()) {
  test(`"${instead}" is proposed for its example alone`, () => {
    assert.match(examples[index] ?? '', pattern)
    for (const sentence of plain) assert.doesNotMatch(sentence, pattern)
  })
}

test('every pattern has an example', () => assert.equal(examples.length, patterns.length))
