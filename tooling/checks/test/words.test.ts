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
  'The probe waits in vain.',
  'The token takes the place of the password: it is used in the place of it.',
  'Nothing is written but for the log.',
  'It is not shown any more.',
  'The reason stands in the log.',
  'A sandbox has eighteen walls.',
  'A change waits at the gate.',
  'Tools are lent call by call.',
  'A change that only takes power away is applied at once.',
  'Setup makes ready what needs root.',
  'NO_COLOR is heeded.',
  'Tokens with ~ are reckoned.',
  'It ended for want of memory.',
  'Who approves a change is recorded.',
]

const plain: readonly string[] = [
  'Restart the unit, then approve the change again.',
  'A recommendation: the layer is missing, and no more than 16 calls run at once.',
  'Who may approve a change?',
  'The agent lacks a grant for this tool.',
  'The gateway stands in for a wall clock that gave powerful answers, and a readymade indoor map.',
  'It runs standalone, or alone on its host. Names are compared by their length alone.',
]

for (const [index, { pattern, instead }] of patterns.entries()) {
  test(`"${instead}" is proposed for its example alone`, () => {
    assert.match(examples[index] ?? '', pattern)
    for (const sentence of plain) assert.doesNotMatch(sentence, pattern)
  })
}

test('every pattern has an example', () => assert.equal(examples.length, patterns.length))
