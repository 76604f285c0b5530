// Many sessions on few servers: each gets its turn, one that hangs holds up nobody, and every call is one record.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { SessionID } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { ask } from '../fixtures/ask.ts'
import { type Bench, createBench, group, local, messages } from '../fixtures/bench.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'

let bench: Bench
beforeEach(async () => {
  bench = await createBench()
})
afterEach(() => bench.stop())

const letters = 'abcdefghijklmnopqrstuvwxyz234567'
/** Ids of sessions, distinct by number. */
const session = (number: number): SessionID =>
  `ses_${'a'.repeat(10)}${[5, 10, 0].map((shift) => letters[(number >> shift) % 32]).join('')}` as SessionID

const openSessions = (count: number, servers: readonly string[]): SessionID[] => {
  const sessions = Array.from({ length: count }, (_, number) => session(number))
  bench.gateway.sessions = sessions.map((each) => ({ session: each, agentGroupID: group }))
  bench.gateway.grants = Object.fromEntries(sessions.map((each) => [each, Object.fromEntries(servers.map((server) => [server, []]))]))
  return sessions
}

/** A call that no answer comes to, until its caller leaves. */
const hold = (server: string, from: SessionID | undefined, signal: AbortSignal): Promise<unknown> =>
  ask(bench.socket(from), '/call', { method: 'POST', body: JSON.stringify({ name: `${server}__silent` }), signal }).catch(() => undefined)

test('a session that asks for much does not hold up one that asks for little', async () => {
  const log = join(bench.directory, 'log')
  bench.gateway.catalog = { sample: local({ LOG: log }) }
  const [one, two, greedy, modest] = openSessions(4, ['sample'])
  await bench.start({ isRated: false })
  const sent = async (): Promise<string[]> =>
    (await messages(log))
      .filter(({ method }) => method === 'tools/call')
      .map(({ params }) => String((params?.['arguments'] as Record<string, unknown> | undefined)?.['who']))
  const leaving = new AbortController()
  const running = [one, two].flatMap((from) => Array.from({ length: 8 }, () => hold('sample', from, leaving.signal)))
  await waitFor(async () => (await sent()).length === 16, { what: 'every slot taken' })
  const much = Array.from({ length: 64 }, () => bench.call('sample__slow', { ms: 1, who: 'greedy' }, greedy))
  await waitFor(() => bench.gateway.authorized.length === 24, { what: 'eight of the greedy in the queue' })
  const little = Array.from({ length: 4 }, () => bench.call('sample__slow', { ms: 1, who: 'modest' }, modest))
  await waitFor(() => bench.gateway.authorized.length === 28, { what: 'the modest in the queue' })
  leaving.abort()
  await Promise.all(little)
  const order = (await sent()).slice(16)
  assert.deepEqual(order.slice(0, 8), ['greedy', 'modest', 'greedy', 'modest', 'greedy', 'modest', 'greedy', 'modest'])
  await Promise.all([...running, ...much])
  assert.equal((await bench.settledRecords(16 + 64 + 4)).length, 16 + 64 + 4)
})

const [sessions, servers] = full ? [100, 10] : [20, 4]

test(`${sessions} sessions call ${servers} servers at once; one hangs, the others answer all of them, and each call is one record`, async () => {
  const names = Array.from({ length: servers }, (_, number) => `s${number}`)
  bench.gateway.catalog = Object.fromEntries(names.map((name) => [name, local()]))
  const all = openSessions(sessions, names)
  await bench.start({ isRated: false })
  // Each server is up before one of them hangs.
  await Promise.all(names.map((name) => bench.call(`${name}__echo`, { text: 'up' })))
  const [hanging = '', ...others] = names
  const leaving = new AbortController()
  const held = all.map((from) => hold(hanging, from, leaving.signal))
  const answers = await Promise.all(
    all.flatMap((from) =>
      others.flatMap((name) =>
        [1, 2].map(async (round) => {
          const { content } = await bench.call(`${name}__echo`, { text: `${from} ${name} ${round}` }, from)
          return content[0]?.['text'] === `${from} ${name} ${round}`
        }),
      ),
    ),
  )
  assert.deepEqual([answers.length, new Set(answers)], [sessions * others.length * 2, new Set([true])])
  leaving.abort()
  await Promise.all(held)
  const records = await bench.settledRecords(answers.length + sessions + servers)
  assert.equal(records.length, answers.length + sessions + servers)
  assert.equal(new Set(records.map(({ id }) => id)).size, records.length)
  for (const from of all) {
    const own = records.filter((record) => record.session === from)
    assert.equal(own.filter(({ status }) => status === 'cancelled').length, 1)
    for (const name of others) assert.ok(own.filter(({ server, status }) => server === name && status === 'ok').length >= 2)
  }
})

test('every session lists what it was granted, from as many servers as there are', async () => {
  const names = Array.from({ length: servers }, (_, number) => `s${number}`)
  bench.gateway.catalog = Object.fromEntries(names.map((name) => [name, local()]))
  const all = openSessions(sessions, names)
  await bench.start()
  const lists = await Promise.all(all.map((from) => ask(bench.socket(from), '/tools')))
  assert.equal(new Set(lists.map(({ text }) => text)).size, 1)
  assert.equal((await bench.records()).length, sessions * servers)
})
