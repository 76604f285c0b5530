// Word from a witness reaches those who wait for it, once, and nobody waits for ever.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEvidenceWaiters, pathArrival, serverArrival } from '../../src/state/evidence-waiters.ts'

test('all who wait under a key hear of it, those under another do not', async () => {
  const arrivals = createEvidenceWaiters()
  const [one, two] = [arrivals.wait('a', 30_000), arrivals.wait('a', 30_000)]
  const other = arrivals.wait('b', 5)
  arrivals.notify('a')
  assert.deepEqual(await Promise.all([one, two, other]), [true, true, false])
})

test('what came before the wait is not waited for again', async () => {
  const arrivals = createEvidenceWaiters()
  arrivals.notify('a')
  assert.equal(await arrivals.wait('a', 5), false)
})

test('one whose time is over leaves the others waiting', async () => {
  const arrivals = createEvidenceWaiters()
  const long = arrivals.wait('a', 30_000)
  assert.equal(await arrivals.wait('a', 5), false)
  arrivals.notify('a')
  assert.equal(await long, true)
})

test('without time nobody waits', async () => {
  assert.equal(await createEvidenceWaiters().wait('a', 0), false)
})

test('a server and a path of one name are two keys', () => {
  assert.notEqual(serverArrival('a'), pathArrival('a'))
})
