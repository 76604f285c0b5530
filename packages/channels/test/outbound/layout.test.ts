// A message that is laid out is delivered in the parts that it would have without: half of it may have been sent by another version.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '@gatehouse/contracts'
import type { Channel, Outgoing } from '../../src/channel.ts'
import { deliver } from '../../src/outbound/deliver.ts'
import { Attempts, Senders } from '../../src/outbound/senders.ts'
import { Pacer } from '../../src/state/pacer.ts'
import { makeDelivery } from '../fixtures/delivery.ts'
import { piecesOf } from '../fixtures/markup.ts'

const at = new Date().toISOString()
const text = '**one** two\n\n```\nthree\nfour\n```\n\n- five and more\n- [6](https://a.de)'

/** What goes out where so many parts were noted as sent; `noted` is what was noted after each. */
const sendWith = async (can: Partial<Channel['can']>, more: Partial<Delivery> = {}) => {
  const sent: Outgoing[] = []
  const noted: (number | undefined)[] = []
  const pace = { perSecond: 10_000, burst: 1_000 }
  const channel: Channel = {
    name: 'webhook',
    can: { threads: true, ids: true, length: 20, files: { size: 0, together: false }, pace, placePace: pace, ...can },
    receive: () => Promise.resolve(),
    send: (message) => Promise.resolve((sent.push(message), 'sent')),
    verify: () => Promise.resolve({}),
    close: () => Promise.resolve(),
  }
  const result = await deliver(
    {
      gateway: { maySpeak: () => Promise.resolve({ verdict: 'allowed' }) },
      runner: { delivered: (one) => Promise.resolve((noted.push(one.parts), {})), sentFile: () => Promise.resolve({ data: '' }) },
      channels: new Map([['webhook', channel]]),
      pacer: new Pacer(),
      senders: new Senders(1),
      tries: new Attempts(),
      signal: AbortSignal.timeout(30_000),
    },
    makeDelivery('a', 1, { text, at, ...more }),
  )
  assert.equal(result.kind, 'delivered')
  return { sent, noted }
}

test('the parts, their ids and their notes are the same with and without a layout', async () => {
  const [plain, laidOut] = [await sendWith({}), await sendWith({ markup: true })]
  assert.ok(plain.sent.length > 3)
  assert.deepEqual(
    laidOut.sent.map(({ blocks: _, ...message }) => message),
    plain.sent,
  )
  assert.deepEqual(laidOut.noted, plain.noted)
  assert.ok(plain.sent.every(({ blocks, format }) => blocks === undefined && format === 'markdown'))
  assert.equal(
    piecesOf(laidOut.sent.flatMap(({ blocks = [] }) => blocks))
      .map((piece) => piece.text)
      .join(' '),
    'one  two three four five and more 6  ( https://a.de/ )',
  )
})

test('of a message that is half sent the rest goes out, as if all of it had been laid out', async () => {
  const { sent: whole } = await sendWith({ markup: true })
  for (let parts = 0; parts < whole.length; parts += 1)
    assert.deepEqual((await sendWith({ markup: true }, { parts })).sent, whole.slice(parts))
})

test('a part in which there are marks alone is not sent; a message of marks alone is, as it was written', async () => {
  const { sent } = await sendWith({ markup: true }, { text: '```\na234567890123456\n```' })
  assert.deepEqual(
    sent.map(({ blocks = [], parts }) => [piecesOf(blocks).map((piece) => piece.text), parts]),
    [[['a234567890123456'], 2]],
  )
  assert.deepEqual(
    (await sendWith({ markup: true }, { text: '```\n```' })).sent.map((message) => message.text),
    ['```\n```'],
  )
})

test('what is said in place of a file is no markup, whatever its name and whatever the agent left open', async () => {
  const files = [{ name: 'a', path: '/workspace/**a** [b](https://evil.example)', size: 5 }]
  const { sent } = await sendWith({ markup: true, length: 4_000 }, { text: '**one**\n\n```\ntwo', files })
  const [{ blocks = [], text: words } = assert.fail()] = sent
  assert.deepEqual(
    blocks.map(({ kind }) => kind),
    ['paragraph', 'code', 'paragraph'],
  )
  const [note, ...others] = piecesOf(blocks.slice(2))
  assert.deepEqual([others, Object.keys(note ?? {})], [[], ['text', 'at']])
  assert.match(note?.text ?? '', /^\[the file .*cannot be sent here: 5 bytes/)
  assert.ok(words.endsWith(note?.text ?? '-'))
})

test('a row of a table that is cut through is not laid out, in a list and a quotation as well: all of it goes out', async () => {
  const table = `| a | b |\n|---|---|\n| one | ${'two '.repeat(30)}|`
  for (const written of [table, `- x\n\n${table.replaceAll(/^/gm, '  ')}`, table.replaceAll(/^/gm, '> ')]) {
    const { sent } = await sendWith({ markup: true, length: 100 }, { text: written })
    assert.ok(sent.length > 1)
    assert.ok(
      sent.every(({ blocks }) => blocks === undefined),
      written,
    )
    assert.equal(sent.map((part) => part.text.replaceAll(/\s/g, '')).join(''), written.replaceAll(/\s/g, ''))
  }
})
