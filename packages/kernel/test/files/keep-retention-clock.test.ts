// The state of a retention clock survives restarts.
import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createRetentionClock, keepRetentionClock, silentLogger } from '../../src/index.ts'
import { scratch } from '@gatehouse/testkit/scratch'

const day = 86_400_000
const start = Date.UTC(2026, 0, 1)

const createState = async (t: TestContext) => {
  const stateDir = await scratch(t)
  await mkdir(join(stateDir, 'locks'), { mode: 0o700 })
  const file = join(stateDir, 'locks', 'broker.retention')
  const run = async (wall: number) => {
    const machine = { wall, elapsed: 0 }
    const clock = createRetentionClock({ wall: () => machine.wall, elapsed: () => machine.elapsed })
    const warnings: string[] = []
    const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) }
    const kept = await keepRetentionClock({ stateDir, service: 'broker', log, clock })
    const pass = (time: number): void => {
      machine.wall += time
      machine.elapsed += time
    }
    return { clock, machine, pass, warnings, stop: () => kept.stop() }
  }
  return { stateDir, file, run }
}

test('a process resumes from the saved state, whatever the clock says at its start', async (t) => {
  const { run } = await createState(t)
  const first = await run(start)
  first.pass(day)
  assert.equal(first.clock(), start + day)
  await first.stop()
  for (const wall of [start + 366 * day, start + day + 60_000]) {
    const next = await run(wall)
    assert.equal(next.clock(), start + day)
    await next.stop()
  }
  const back = await run(start)
  assert.equal(back.clock(), start)
  await back.stop()
})

test('short runs add up: a step forward is trusted after a day in total', async (t) => {
  const { run } = await createState(t)
  let wall = start
  for (let turn = 0; turn < 4; turn += 1) {
    const process = await run(wall)
    process.pass(day / 4)
    assert.equal(process.clock() >= start, turn === 3, `turn ${turn}`)
    wall = process.machine.wall + 1_000
    await process.stop()
  }
})

for (const [what, text] of Object.entries({
  empty: '',
  cut: '2026-01-01T00:00',
  strange: 'a b c\n',
  negative: '2026-01-01 2026-01-01 -5\n',
})) {
  test(`a ${what} file keeps data longer and is rewritten`, async (t) => {
    const { file, run } = await createState(t)
    await writeFile(file, text)
    const { clock, stop } = await run(start)
    assert.equal(clock(), 0)
    await stop()
    assert.match(await readFile(file, 'utf8'), /^1970-01-01T\S+ 2026-01-01T\S+ \d+\n$/)
  })
}

test('a file that cannot be written is logged and stops nothing', async (t) => {
  const { stateDir, run } = await createState(t)
  await rm(join(stateDir, 'locks'), { recursive: true })
  const { warnings, stop } = await run(start)
  await stop()
  assert.match(warnings[0] ?? '', /could not save the retention clock/)
})
