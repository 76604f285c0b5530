// A channel's connection: made again when it is lost, named when its credentials are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics, silentLogger, waitFor } from '@gatehouse/kernel'
import { type Channel, ChannelFault, type Listener } from '../../src/channel.ts'
import { ChannelConnection } from '../../src/connection/connection.ts'

const pace = { perSecond: 1, burst: 1 }
const channelOf = (receive: Channel['receive']): Channel => ({
  name: 'email',
  can: { threads: true, ids: true, length: 10, files: { size: 0, together: false }, pace, placePace: pace },
  receive,
  send: () => Promise.resolve('sent'),
  verify: () => Promise.resolve({}),
  close: () => Promise.resolve(),
})
const lineOf = (receive: Channel['receive']): ChannelConnection =>
  new ChannelConnection({
    channel: channelOf(receive),
    take: () => Promise.resolve('accepted'),
    decide: () => Promise.resolve({}),
    metrics: createMetrics('channels'),
    log: silentLogger,
  })

const stands = ({ signal }: Listener): Promise<void> => new Promise((resolve) => signal.addEventListener('abort', () => resolve()))

test('is connected again after each loss', async () => {
  let attempts = 0
  const line = lineOf(async (listener) => {
    attempts += 1
    if (attempts === 1) throw new Error('a word of the service')
    listener.up('who we are')
    if (attempts > 2) return stands(listener)
  })
  line.start()
  await waitFor(async () => (attempts === 3 && line.state.state === 'up') || undefined, { what: 'the third attempt', deadline: 30_000 })
  assert.equal(line.state.account, 'who we are')
  await line.stop()
})

test('says in our own words why it is not connected, and does not ask again at once where it was refused', async () => {
  let attempts = 0
  const line = lineOf(() => {
    attempts += 1
    return Promise.reject(new ChannelFault('refused', 'no such key', new Error('a secret of the service')))
  })
  line.start()
  await waitFor(async () => line.state.state === 'refused' || undefined, { what: 'the refusal', deadline: 30_000 })
  assert.equal(line.state.reason, 'no such key')
  await line.stop()
  assert.equal(attempts, 1)
})
