// Whatever a kept dialogue holds and however little fits, what is made of it is one that every provider takes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '@gatehouse/testkit/random'
import type { ModelMessage } from 'ai'
import { fit } from '../../src/memory/fit.ts'
import { callIds, close, repair } from '../../src/memory/repair.ts'
import { timeout } from '../fixtures/agent.ts'

const id = fc.constantFrom('a', 'b', 'c', 'constructor')
const words = fc.oneof(
  fc.constant(''),
  fc.constant('  '),
  fc.string({ maxLength: 40 }),
  fc.nat(4000).map((size) => 'x'.repeat(size)),
)
const call = fc.record({ type: fc.constant('tool-call' as const), toolCallId: id, toolName: fc.constant('t'), input: fc.constant({}) })
const result = fc.record({
  type: fc.constant('tool-result' as const),
  toolCallId: id,
  toolName: fc.constant('t'),
  output: words.map((value) => ({ type: 'text' as const, value })),
})
const said = words.map((text) => ({ type: 'text' as const, text }))
const thought = words.map((text) => ({ type: 'reasoning' as const, text }))
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  words.map((content) => ({ role: 'user' as const, content: content.trim() || 'x' })),
  fc
    .uniqueArray(fc.oneof(said, thought, call), { maxLength: 4, selector: (part) => ('toolCallId' in part ? part.toolCallId : part) })
    .map((content) => ({ role: 'assistant' as const, content })),
  fc.uniqueArray(result, { maxLength: 3, selector: ({ toolCallId }) => toolCallId }).map((content) => ({ role: 'tool' as const, content })),
)

const resultsOf = (one: ModelMessage | undefined): string[] =>
  one?.role === 'tool' ? one.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])) : []

const callsOf = (one: ModelMessage | undefined): string[] => (one?.role === 'assistant' ? callIds(one) : [])

const assertSound = (messages: readonly ModelMessage[]): void => {
  if (messages.length > 0) assert.equal(messages[0]?.role, 'user')
  for (const [at, one] of messages.entries()) {
    assert.deepEqual(callsOf(one).toSorted(), resultsOf(messages[at + 1]).toSorted())
    if (one.role === 'tool') assert.equal(messages[at - 1]?.role, 'assistant')
    if (one.role !== 'user') assert.ok(one.content.length > 0)
    const blank =
      one.role === 'assistant' &&
      typeof one.content !== 'string' &&
      one.content.some((part) => part.type === 'text' && part.text.trim() === '')
    assert.ok(!blank)
  }
}

describe('a kept dialogue', timeout, () => {
  it('is sound after it was mended, for the model that led it and for any other', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 14 }), fc.boolean(), (messages, mine) => {
        assertSound(repair(messages, mine))
      }),
      { numRuns: 500 },
    )
  })

  it('that is mended already stays as it is', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 14 }), (messages) => {
        const once = repair(messages)
        assert.deepEqual(repair(once), once)
      }),
      { numRuns: 200 },
    )
  })

  it('is sound and small after it was made to fit', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 14 }), fc.integer({ min: 1000, max: 20_000 }), (messages, most) => {
        const sound = close(repair(messages))
        const fitted = fit([...sound, { role: 'user', content: 'and now?' }], most)
        assertSound(fitted)
        assert.deepEqual(fitted.at(-1), { role: 'user', content: 'and now?' })
        assert.ok(Buffer.byteLength(JSON.stringify(fitted)) < most * 2, 'bounded by what fits')
      }),
      { numRuns: 300 },
    )
  })

  it('of one turn that is too long by itself keeps the question and the newest result', () => {
    const step = (name: string): ModelMessage[] => [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: name, toolName: 't', input: {} }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: name, toolName: 't', output: { type: 'text', value: name.repeat(9000) } }],
      },
    ]
    const fitted = fit([{ role: 'user', content: 'why?' }, ...step('1'), ...step('2'), ...step('3')], 12_000)
    assertSound(fitted)
    assert.deepEqual(fitted[0], { role: 'user', content: 'why?' })
    assert.match(JSON.stringify(fitted.at(-1)), /3{5000}/)
    assert.match(JSON.stringify(fitted), /\[truncated: 9000 bytes in total\]/)
  })
})
