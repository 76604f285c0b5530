// Messages that are being written come before starts of sandboxes, as long as that keeps no start waiting for ever.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { WriteGate } from '../../src/state/write-gate.ts'

const never = new AbortController().signal

/** So many messages that are being written until they are let go. */
const writing = (writeGate: WriteGate, count: number) => {
  const messages = Array.from({ length: count }, () => Promise.withResolvers<void>())
  const written = messages.map(({ promise }) => writeGate.during(() => promise))
  return { written, letGo: async (at: number) => (messages[at]?.resolve(), written[at]) }
}

/** Whether it has resolved once everything that was due has run. */
const watch = (promise: Promise<unknown>) => {
  let isOver = false
  void promise.then(() => {
    isOver = true
  })
  return async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return isOver
  }
}

describe('messages that are being written', () => {
  it('hold up no start while they are few', async () => {
    const writeGate = new WriteGate({ few: 2, longest: 600_000 })
    const { letGo } = writing(writeGate, 2)
    await writeGate.calm(never)
    await Promise.all([letGo(0), letGo(1)])
  })

  it('go before every start while they are many, and let them all go on when they are few again', async () => {
    const writeGate = new WriteGate({ few: 1, longest: 600_000 })
    const { letGo } = writing(writeGate, 3)
    const starts = [writeGate.calm(never), writeGate.calm(never)]
    const over = starts.map(watch)
    await letGo(0)
    assert.deepEqual(await Promise.all(over.map((is) => is())), [false, false])
    await letGo(1)
    await Promise.all(starts)
    await letGo(2)
  })

  it('count as done when they could not be written', async () => {
    const writeGate = new WriteGate({ few: 0, longest: 600_000 })
    const failed = Promise.withResolvers<void>()
    const written = writeGate.during(() => failed.promise)
    const start = writeGate.calm(never)
    failed.reject(new Error('no disk'))
    await assert.rejects(written, /no disk/)
    await start
  })

  it('wake every start that waits, also where more came in between', async () => {
    const writeGate = new WriteGate({ few: 0, longest: 600_000 })
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const both = writeGate.during(() => first.promise).then(() => writeGate.during(() => second.promise))
    const starts = [writeGate.calm(never), writeGate.calm(never)]
    first.resolve()
    for (let turn = 0; turn < 10; turn += 1) await nextTurn()
    second.resolve()
    await Promise.all([both, ...starts])
  })

  it('keep no start waiting for ever, nor one that is not wanted any more', async () => {
    const hurried = new WriteGate({ few: 0, longest: 1 })
    const stream = writing(hurried, 1)
    await hurried.calm(never)
    await stream.letGo(0)
    const patient = new WriteGate({ few: 0, longest: 600_000 })
    const crowd = writing(patient, 1)
    const ended = new AbortController()
    const start = patient.calm(ended.signal)
    ended.abort()
    await start
    await patient.calm(ended.signal)
    await crowd.letGo(0)
  })
})
