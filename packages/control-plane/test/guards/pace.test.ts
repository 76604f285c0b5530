// Who reads more than its share reads on slowly, in turn; nobody else waits, and no act does. A refusal for too much is held back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { createTestUnit, home, type Options, otherToken, token } from '../fixtures/unit.ts'

const rate = { perSecond: 1_000, burst: 10_000 }
const other = { headers: { authorization: `Bearer ${otherToken}` } }
/** One answer that is all that may be read at once. */
const long = 'x'.repeat(limits.readBytes)
const answers: Options['answers'] = { 'gateway.history': () => ({ items: [], nextCursor: long }) }

/** A unit whose waits end when they are told to. */
const paced = (options: Options = {}) => {
  const waits: { readonly milliseconds: number; readonly end: () => void }[] = []
  let now = 0
  const wait = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        now += milliseconds
        resolve()
      }
      if (milliseconds === 0) end()
      else waits.push({ milliseconds, end })
    })
  const unit = createTestUnit({ boot: { rate }, answers, now: () => now, wait, ...options })
  const waiting = (count: number) => waitFor(() => waits.length >= count, { what: 'a read that waits', every: 1 })
  const pass = (milliseconds: number): void => {
    now += milliseconds
  }
  return { ...unit, waits, waiting, pass }
}

const readTooMuch = async ({ ask }: Pick<ReturnType<typeof paced>, 'ask'>): Promise<void> => {
  assert.equal((await ask('GET', '/v1/changes/history')).status, 200)
}

test('keeps who has read its share waiting until it is repaid, and nobody else', async () => {
  const unit = paced()
  await readTooMuch(unit)
  const held = unit.ask('GET', '/v1/changes/pending')
  await unit.waiting(1)
  assert.equal((await unit.ask('GET', '/v1/changes/pending', other)).status, 200)
  assert.equal((await unit.ask('GET', '/readyz')).status, 200)
  assert.equal(unit.named('gateway.pending').length, 1, 'only the other one has been asked for')
  unit.waits[0]?.end()
  assert.equal((await held).status, 200)
  unit.pass(60_000)
  assert.equal((await unit.ask('GET', '/v1/changes/pending')).status, 200)
  assert.equal(unit.waits.length, 1, 'what was repaid is owed no more')
})

test('lets the reads of who has read much go one at a time, without a pause while it is within its share', async () => {
  const begun: (() => void)[] = []
  const slow = () =>
    new Promise<object>((resolve) => begun.push(() => resolve({ items: [], nextCursor: 'x'.repeat(limits.readBytesAside) })))
  const unit = paced({ answers: { 'gateway.history': slow } })
  const begins = (count: number) => waitFor(() => begun.length >= count, { what: `read ${count}`, every: 1 })
  const read = () => unit.ask('GET', '/v1/changes/history')
  const together = [read(), read(), read()]
  await begins(3)
  for (const end of begun) end()
  await Promise.all(together)
  const after = [read(), read()]
  await begins(4)
  assert.equal((await unit.ask('GET', '/v1/changes/pending', other)).status, 200)
  assert.equal(begun.length, 4, 'the next one begins when the one before has its answer')
  begun[3]?.()
  await begins(5)
  begun[4]?.()
  assert.deepEqual(
    (await Promise.all(after)).map(({ status }) => status),
    [200, 200],
  )
  assert.equal(unit.waits.length, 0)
})

test('lets who has read much rest after each read, in measure of what it took, and nobody else', async () => {
  let takes = 0
  const unit = paced({
    answers: {
      'gateway.history': () => {
        unit.pass(takes)
        return { items: [], nextCursor: 'x'.repeat(limits.readBytesAside) }
      },
    },
  })
  const read = () => unit.ask('GET', '/v1/changes/history')
  await read()
  await read()
  assert.equal(unit.waits.length, 0, 'what took no time needs no rest')
  takes = 40
  await read()
  const next = read()
  await unit.waiting(1)
  assert.equal(unit.waits[0]?.milliseconds, takes * limits.readRest)
  assert.equal((await unit.ask('GET', '/v1/changes/pending', other)).status, 200)
  takes = 0
  unit.waits[0]?.end()
  assert.equal((await next).status, 200)
})

test('lets those that wait go one at a time, in their order', async () => {
  const unit = paced()
  await readTooMuch(unit)
  const answered: number[] = []
  const all = [1, 2, 3].map((number) => unit.ask('GET', '/v1/changes/history').then(() => answered.push(number)))
  for (const number of [1, 2, 3]) {
    await unit.waiting(number)
    assert.equal(unit.named('gateway.history').length, number)
    assert.equal(unit.waits.length, number)
    unit.waits[number - 1]?.end()
  }
  await Promise.all(all)
  assert.deepEqual(answered, [1, 2, 3])
})

test('holds no decision back because of what was read', async () => {
  const unit = paced()
  await readTooMuch(unit)
  assert.equal((await unit.ask('POST', '/v1/freeze', { body: { reason: 'a drill' } })).status, 200)
  assert.deepEqual(unit.waits, [])
})

test('refuses reads beyond those that may wait', async () => {
  const unit = paced()
  await readTooMuch(unit)
  const held = Array.from({ length: limits.readsWaiting }, () => unit.ask('GET', '/v1/changes/pending'))
  await unit.waiting(1)
  await waitFor(() => unit.named('gateway.permit').length > limits.readsWaiting, { what: 'all that wait', every: 1 })
  const refused = unit.ask('GET', '/v1/changes/pending')
  await unit.waiting(2)
  assert.equal(unit.waits[1]?.milliseconds, limits.refusalHold)
  for (const { end } of unit.waits) end()
  const { status, headers } = await refused
  assert.deepEqual([status, headers.get('retry-after')], [429, '1'])
  for (const { status } of await Promise.all(held)) assert.equal(status, 200)
})

test('counts nothing where the rate is off', async () => {
  const unit = paced({ boot: { rate: null } })
  for (let i = 0; i < 3; i += 1) await readTooMuch(unit)
  assert.deepEqual(unit.waits, [])
})

test('holds a refusal for too many requests back, and no answer to others', async () => {
  const unit = paced({ boot: { rate: { perSecond: 1, burst: 1 } } })
  assert.equal((await unit.ask('GET', '/v1/changes/pending')).status, 200)
  const refused = unit.ask('GET', '/v1/changes/pending')
  await unit.waiting(1)
  assert.equal((await unit.ask('GET', '/v1/changes/pending', other)).status, 200)
  assert.equal((await unit.ask('GET', '/healthz')).status, 200)
  unit.waits[0]?.end()
  assert.equal((await refused).status, 429)
})

test('reads nothing for who has given up before its turn came', async () => {
  const unit = paced()
  await readTooMuch(unit)
  const end = new AbortController()
  const headers = { host: '127.0.0.1:8787', authorization: `Bearer ${token}` }
  const abandoned = unit.app.request(new Request(`${home}/v1/changes/pending`, { headers, signal: end.signal }))
  const behind = unit.ask('GET', '/v1/audit')
  await unit.waiting(1)
  end.abort()
  unit.waits[0]?.end()
  await unit.waiting(2)
  for (const { end: go } of unit.waits) go()
  assert.equal((await behind).status, 200)
  assert.equal(unit.named('gateway.pending').length, 0)
  for (const { end: go } of unit.waits) go()
  assert.equal((await abandoned).status, 429)
})

test('reads that began together bring more than the share, and nobody waits for minutes because of it', async () => {
  const unit = paced()
  await Promise.all(Array.from({ length: 10 }, () => readTooMuch(unit)))
  const held = unit.ask('GET', '/v1/changes/pending')
  await unit.waiting(1)
  const [wait] = unit.waits
  assert.ok(wait !== undefined && wait.milliseconds <= limits.readPauseMost, `${wait?.milliseconds} ms`)
  wait.end()
  assert.equal((await held).status, 200)
})
