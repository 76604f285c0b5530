// Elapsed time of work that takes long.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { withProgress } from '../../src/output/progress.ts'

const terminal = (isTTY: boolean) => {
  const written: string[] = []
  return { isTTY, write: (text: string) => written.push(text), written }
}

test('work that takes longer than two seconds shows its elapsed time, and leaves an empty line', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  try {
    const [screen, work] = [terminal(true), Promise.withResolvers<string>()]
    const ended = withProgress('Packing', () => work.promise, screen)
    mock.timers.tick(1_999)
    assert.deepEqual(screen.written, [])
    mock.timers.tick(1)
    mock.timers.tick(1_000)
    assert.equal(screen.written.length, 2)
    for (const text of screen.written) assert.match(text, /^\r\u001b\[2KPacking … \d+s$/)
    work.resolve('done')
    assert.equal(await ended, 'done')
    assert.equal(screen.written.at(-1), '\r\u001b[2K')
    mock.timers.tick(10_000)
    assert.equal(screen.written.length, 3)
  } finally {
    mock.timers.reset()
  }
})

test('a pipe gets no progress, and neither does work that fails at once', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  try {
    const [pipe, screen, work] = [terminal(false), terminal(true), Promise.withResolvers<string>()]
    const ended = withProgress('Packing', () => work.promise, pipe)
    mock.timers.tick(10_000)
    work.resolve('done')
    await ended
    assert.deepEqual(pipe.written, [])
    await assert.rejects(
      withProgress('Packing', () => Promise.reject(new Error('no')), screen),
      { message: 'no' },
    )
    mock.timers.tick(10_000)
    assert.deepEqual(screen.written, [])
  } finally {
    mock.timers.reset()
  }
})
