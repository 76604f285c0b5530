// What a person is told at once about the own word: what the card itself does not say, or says later.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Decided } from '@gatehouse/contracts'
import { createBuckets, createMetrics, silentLogger } from '@gatehouse/kernel'
import { decideByText, type DecisionContext } from '../../src/cards/decide.ts'
import type { Cards, Channel, Outgoing } from '../../src/channel.ts'
import { Pacer } from '../../src/state/pacer.ts'
import { approvedBy, cardWith } from '../fixtures/card.ts'
import { until } from '../fixtures/listener.ts'

const plenty = { perSecond: 1_000, burst: 1_000 }
const buttons: Cards = { post: () => Promise.resolve({}), update: () => Promise.resolve() }
const text = 'approve 125301.123 3f2a9c1b77d0e4a5'
const message = {
  id: 'm1',
  address: 'ops',
  thread: undefined,
  user: 'kim',
  mentioned: false,
  automatic: false,
  text,
  files: [],
  reference: { to: 'kim' },
}
const word = { outcome: 'approve', change: '125301.123', digest: '3f2a9c1b77d0e4a5', reason: undefined } as const

const say = async (decided: Decided, cards?: Cards): Promise<Outgoing[]> => {
  const sent: Outgoing[] = []
  const channel: Channel = {
    name: 'email',
    can: { threads: true, ids: true, length: 4_000, files: { size: 0, together: false }, pace: plenty, placePace: plenty },
    receive: () => Promise.resolve(),
    send: (one) => Promise.resolve(sent.push(one)).then(() => 'sent'),
    verify: () => Promise.resolve({}),
    close: () => Promise.resolve(),
    ...(cards !== undefined && { cards }),
  }
  const context: DecisionContext = {
    gateway: { decideAs: () => Promise.resolve(decided) },
    channels: new Map([['email', channel]]),
    pacer: new Pacer(),
    budget: createBuckets(plenty),
    show: (card) => card,
    metrics: createMetrics('channels'),
    log: silentLogger,
    signal: new AbortController().signal,
  }
  assert.equal(await decideByText(context, 'email', { message, word }), 'decided')
  // Whatever is said is said before the next word is.
  const refused: Decided = { outcome: 'refused', code: 'not-found', detail: 'the end of the test' }
  await decideByText({ ...context, gateway: { decideAs: () => Promise.resolve(refused) } }, 'email', { message, word })
  await until('the end of the test', () => sent.some((one) => one.text.includes('the end of the test')))
  return sent.slice(0, -1)
}

const applied = approvedBy({ channel: 'email', user: 'kim' })
const { url: _, ...card } = applied
const taken = (state: typeof card.state): Decided => ({ outcome: 'accepted', card: { ...card, state } })

test('where cards are texts the end is told by the card alone', async () => {
  for (const state of ['applied', 'rejected', 'apply_failed', 'held'] as const) assert.deepEqual(await say(taken(state)), [], state)
})

test('where it is applied later who approved it is told so at once', async () => {
  const [told, ...more] = await say(taken('approved'))
  assert.match(told?.text ?? '', /^chg_\S+ was approved and is being applied by kim/)
  assert.deepEqual([told?.reference, more], [{ to: 'kim' }, []])
})

test('where cards have buttons, and where it was refused, the word is answered', async () => {
  assert.equal((await say(taken('applied'), buttons)).length, 1)
  const { url: __, ...now } = cardWith()
  const [told] = await say({ outcome: 'refused', code: 'digest-mismatch', detail: 'it is another', card: now })
  assert.match(told?.text ?? '', /^Not decided: it is another\.\nCurrent state: /)
})
