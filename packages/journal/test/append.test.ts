import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { appendFileSync, chmodSync, statSync } from 'node:fs'
import { describe, test } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { sha256 } from '@gatehouse/kernel'
import { openJournal, verifyJournal } from '../src/index.ts'
import { isUnwritable, line, lines, newOptions, openFor, rawLines, silent, textsOf } from './state.ts'

const zeros = '0'.repeat(64)

describe('appending', () => {
  test('each line is chained to the bytes of the previous line', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    assert.deepEqual(journal.head(), { seq: 0, hash: zeros })
    const { entries, head } = await journal.append(lines(3))
    const [first, second, third] = rawLines(options.path)
    assert.deepEqual(
      entries.map(({ seq, prev, hash }) => [seq, prev, hash]),
      [
        [1, zeros, zeros],
        [2, zeros, sha256(first!)],
        [3, sha256(first!), sha256(second!)],
      ],
    )
    assert.deepEqual(head, { seq: 3, hash: sha256(third!) })
    assert.deepEqual(journal.head(), head)
    assert.deepEqual(
      rawLines(options.path).map((text) => JSON.parse(text)),
      entries,
    )
  })

  test('a line has every member of its input and a UTC time in milliseconds', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    const input = { ...line('é "quoted"\n'), by: 'eve', changeID: 'chg_1', kind: 'persona', agentGroupID: 'dev' }
    const { entries } = await journal.append([input])
    const { time, seq, prev, hash, ...rest } = JSON.parse(rawLines(options.path)[0]!)
    assert.deepEqual(rest, input)
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(entries, [{ ...rest, time, seq, prev, hash }])
  })

  test('only the owner can access the file, whatever the umask', async (t) => {
    const umask = process.umask(0)
    t.after(() => process.umask(umask))
    const options = newOptions(t)
    await openFor(t, options)
    assert.equal(statSync(options.path).mode & 0o777, 0o600)
    assert.equal(statSync(options.publicKeyPath).mode & 0o777, 0o600)
  })

  test('lines have the order of calls, and the lines of a call are contiguous', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    const calls = await Promise.all(Array.from({ length: 64 }, (_, call) => journal.append([line(`${call} a`), line(`${call} b`)])))
    const expected = Array.from({ length: 64 }, (_, call) => [`${call} a`, `${call} b`]).flat()
    assert.deepEqual(
      rawLines(options.path).map((text) => JSON.parse(text).detail.text),
      expected,
    )
    for (const [call, { entries, head }] of calls.entries()) {
      assert.deepEqual(textsOf(entries), [`${call} a`, `${call} b`])
      assert.deepEqual(head, { seq: call * 2 + 2, hash: sha256(rawLines(options.path)[call * 2 + 1]!) })
    }
  })

  test('concurrent calls share one sync, and a single call has its own', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    const probe = await open(options.path)
    const syncs = t.mock.method(Object.getPrototypeOf(probe), 'datasync')
    await probe.close()
    await Promise.all(lines(64).map((one) => journal.append([one])))
    assert.equal(syncs.mock.callCount(), 1)
    await journal.append(lines(1))
    assert.equal(syncs.mock.callCount(), 2)
  })

  test('append resolves only after the sync', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    const probe = await open(options.path)
    const prototype = Object.getPrototypeOf(probe)
    const original = prototype.datasync
    await probe.close()
    const seen: string[] = []
    t.mock.method(prototype, 'datasync', async function (this: unknown) {
      await original.call(this)
      seen.push('synced')
    })
    await journal.append(lines(1)).then(() => seen.push('resolved'))
    assert.deepEqual(seen, ['synced', 'resolved'])
  })

  test('a line is serialised at the call, not when it is written', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    const detail = { text: 'as it was' }
    const appended = journal.append([{ ...line(''), detail }])
    detail.text = 'as it became'
    await appended
    assert.equal(JSON.parse(rawLines(options.path)[0]!).detail.text, 'as it was')
  })

  test('a value without a JSON form rejects only its own call', async (t) => {
    const journal = await openFor(t, newOptions(t))
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const [bad, good] = await Promise.allSettled([journal.append([{ ...line(''), detail: circular }]), journal.append(lines(1))])
    assert.equal(bad.status, 'rejected')
    assert.equal(good.status, 'fulfilled')
    assert.equal(journal.head().seq, 1)
  })

  test('the chain continues after a restart', async (t) => {
    const options = newOptions(t)
    const first = await openJournal(options)
    const { head } = await first.append(lines(2))
    await first.close()
    const second = await openFor(t, options)
    assert.equal(second.head().seq, head.seq + 1)
    await second.append(lines(2, 3))
    const verdict = await verifyJournal(options)
    assert.deepEqual(verdict, { ok: true, lines: 5, head: second.head() })
  })

  test('times of lines never decrease, whatever the clock does', async (t) => {
    const options = newOptions(t)
    t.mock.timers.enable({ apis: ['Date'], now: new Date('2026-11-20T12:00:00Z') })
    const first = await openJournal(options)
    await first.append(lines(1))
    t.mock.timers.setTime(Date.parse('2026-11-20T11:00:00Z'))
    await first.append(lines(1))
    await first.close()
    const second = await openFor(t, options)
    await second.append(lines(1))
    t.mock.timers.setTime(Date.parse('2026-11-20T13:00:00Z'))
    await second.append(lines(1))
    const [noon, one] = ['2026-11-20T12:00:00.000Z', '2026-11-20T13:00:00.000Z']
    const times = rawLines(options.path).map((text) => String(JSON.parse(text).time))
    assert.deepEqual([times.length, times[0], times.at(-1)], [5, noon, one])
    assert.deepEqual(times, times.toSorted())
  })

  test('the next call reports the lines that the journal added itself', async (t) => {
    const options = newOptions(t)
    const first = await openJournal(options)
    await first.append(lines(2))
    await first.close()
    appendFileSync(options.path, 'torn')
    const second = await openFor(t, options)
    await second.sign()
    await second.append([])
    const { entries, lines: placed } = await second.append(lines(1))
    assert.deepEqual(
      placed.map(({ entry: { seq, stage } }) => [seq, stage]),
      [
        [4, 'recovered'],
        [5, 'checkpoint'],
        [6, 'submit'],
      ],
    )
    assert.deepEqual([entries.length, (await second.append(lines(1))).lines.length], [1, 1])
  })

  test('a write failure and its end are logged once each', async (t) => {
    const messages: string[] = []
    const tell = (message: string): void => void messages.push(message)
    const options = { ...newOptions(t), log: { ...silent, info: tell, error: tell } }
    const journal = await openFor(t, options)
    chmodSync(options.path, 0o640)
    for (let count = 0; count < 3; count += 1) await assert.rejects(journal.append(lines(1)), isUnwritable)
    chmodSync(options.path, 0o600)
    for (let count = 0; count < 2; count += 1) await journal.append(lines(1))
    assert.deepEqual(messages, ['could not write the journal', 'journal is writable again'])
  })

  test('an empty call writes nothing and checks the file', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    const { head } = await journal.append(lines(2))
    const size = statSync(options.path).size
    assert.deepEqual(await journal.append([]), { entries: [], head, lines: [] })
    chmodSync(options.path, 0o640)
    await assert.rejects(journal.append([]), isUnwritable)
    assert.equal(statSync(options.path).size, size)
  })

  test('a closed journal rejects with unavailable', async (t) => {
    const journal = await openJournal(newOptions(t))
    await journal.close()
    await assert.rejects(journal.append(lines(1)), (error) => isServiceError(error) && error.code === 'unavailable')
  })
})
