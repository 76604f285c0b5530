// The numbers of a group.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AgentGroupID } from '@gatehouse/contracts'
import { createSequence } from '../../src/queue/sequence.ts'

const group = 'dev-agent' as AgentGroupID

describe('the numbers of a group', () => {
  it('follow the highest that was found, one writer at a time', async () => {
    const sequence = createSequence(async () => 7)
    const running: number[] = []
    const given = await Promise.all(
      [1, 2, 3].map(() =>
        sequence.next(group, async (seq) => {
          running.push(seq)
          await new Promise((resolve) => setImmediate(resolve))
          assert.equal(running.at(-1), seq)
          return { stored: true, seq }
        }),
      ),
    )
    assert.deepEqual(
      given.map(({ seq }) => seq),
      [8, 9, 10],
    )
  })

  it('are not used up by what was not stored', async () => {
    const sequence = createSequence(async () => 0)
    const next = (stored: boolean) => sequence.next(group, async (seq) => ({ stored, seq }))
    assert.deepEqual(
      [await next(true), await next(false), await next(true)].map(({ seq }) => seq),
      [1, 2, 2],
    )
  })

  it('are looked up again after a write that may have happened or not', async () => {
    let last = 0
    const sequence = createSequence(async () => last)
    await assert.rejects(
      sequence.next(group, async (seq) => {
        last = seq
        throw new Error('the commit failed, or did it')
      }),
    )
    assert.equal((await sequence.next(group, async (seq) => ({ stored: true, seq }))).seq, 2)
  })

  it('of two groups do not meet', async () => {
    const sequence = createSequence(async () => 0)
    const blocked = sequence.next(group, () => new Promise<{ stored: boolean }>(() => undefined))
    blocked.catch(() => undefined)
    assert.equal((await sequence.next('other' as AgentGroupID, async (seq) => ({ stored: true, seq }))).seq, 1)
  })
})
