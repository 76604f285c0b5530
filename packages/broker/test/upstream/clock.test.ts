// A clock that is set while the broker runs changes neither when a server that was lost is connected to again, nor for how long a list counts as fresh.
import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { type Bench, createBench, local, sessionOne } from '../fixtures/bench.ts'

let bench: Bench
beforeEach(async () => {
  bench = await createBench()
})
afterEach(() => bench.stop())

const steps = {
  '10 minutes back': -600_000,
  'a year back': -31_536_000_000,
  '10 minutes forward': 600_000,
  'a year forward': 31_536_000_000,
}

for (const [step, milliseconds] of Object.entries(steps)) {
  test(`a tool server that was down answers again when it is back, with the clock set ${step} in the meantime`, async (t) => {
    const program = join(bench.directory, 'server')
    const { command, args } = local() as { command: string; args: string[] }
    bench.gateway.catalog = { sample: { ...local(), command: program, args: [] } }
    bench.gateway.grants = { [sessionOne]: { sample: [] } }
    await bench.start()
    const down = await bench.call('sample__echo', { text: 'a' })
    assert.equal(down.error?.code, 'server-unavailable')
    const real = Date.now.bind(Date)
    t.mock.method(Date, 'now', () => real() + milliseconds)
    await writeFile(`${program}.new`, `#!/bin/sh\nexec ${[command, ...args].map((word) => `'${word}'`).join(' ')}\n`, { mode: 0o755 })
    await rename(`${program}.new`, program)
    await waitFor(async () => !(await bench.call('sample__echo', { text: 'b' })).isError, {
      what: 'an answer of the server that is back',
      deadline: 20_000,
    })
  })
}
