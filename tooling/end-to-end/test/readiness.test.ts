// `/readyz` says at every moment what is so: while a process is down or hung, and while the unit stops.
// Profile: rest. A matrix of processes that hang or die; packages/control-plane tests the answers of /readyz.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { webhookSecret } from '../src/channels/webhook.ts'
import { request } from '../src/http.ts'
import { removeState } from '../src/remove-state.ts'
import { freshDirectory, startUnit, type Unit } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const env = { SERVICE_MODEL_BASE_URL: 'http://127.0.0.1:9/v1', WEBHOOK_SIGNING_SECRET: webhookSecret('r') }

interface Readiness {
  readonly status: number
  readonly degraded: readonly unknown[]
}

const readReadiness = async (unit: Unit): Promise<Readiness> => {
  const { status, json } = await request(`${unit.address}/readyz`)
  const degraded = json?.['degraded']
  return { status, degraded: Array.isArray(degraded) ? degraded : [] }
}

const untilWhole = (unit: Unit): Promise<boolean> =>
  waitFor('every process to answer', 60_000, async () => {
    const { status, degraded } = await readReadiness(unit)
    return status === 200 && degraded.length === 0
  })

suite('a unit with every process', () => {
  let unit: Unit
  before(async () => {
    unit = await startUnit({ flags: ['--dev', '--sandbox', 'off'], env })
  })
  after(() => unit.dispose())

  for (const name of ['gateway', 'broker', 'model-proxy', 'runner', 'channels'] as const) {
    const status = name === 'gateway' ? 503 : 200

    test(`/readyz names the ${name} while it hangs, and answers ${status}`, async () => {
      await untilWhole(unit)
      const pid = await unit.pidOf(name)
      process.kill(pid, 'SIGSTOP')
      try {
        for (let times = 0; times < 2; times += 1) assert.deepEqual(await readReadiness(unit), { status, degraded: [name] })
      } finally {
        process.kill(pid, 'SIGCONT')
      }
    })

    test(`the first /readyz after the ${name} was killed names it, and answers ${status}`, async () => {
      await untilWhole(unit)
      process.kill(await unit.pidOf(name), 'SIGKILL')
      assert.deepEqual(await readReadiness(unit), { status, degraded: [name] })
      await untilWhole(unit)
    })
  }

  test('status and metrics show a hung process as one that is not up', async () => {
    await untilWhole(unit)
    const pid = await unit.pidOf('broker')
    process.kill(pid, 'SIGSTOP')
    try {
      const { processes, degraded } = await unit.client.status()
      assert.equal(processes.find(({ name }) => name === 'broker')?.state, 'unresponsive')
      assert.deepEqual(degraded, ['broker'])
      const { text } = await request(`${unit.address}/metrics`)
      assert.match(text, /^gatehouse_process_up\{process="broker"\} 0$/m)
      assert.match(text, /^gatehouse_process_up\{process="gateway"\} 1$/m)
      assert.match(text, /^gatehouse_unit_degraded\{part="broker"\} 1$/m)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  })

  test('a unit is not ready while its supervisor hangs, which knows how the others are', async () => {
    await untilWhole(unit)
    process.kill(unit.pid, 'SIGSTOP')
    try {
      assert.deepEqual(await readReadiness(unit), { status: 503, degraded: ['supervisor'] })
    } finally {
      process.kill(unit.pid, 'SIGCONT')
    }
  })
})

/** A unit whose journal is not the one that its database knows: it starts, and is never ready. */
const startWithCutJournal = async (stateDir: string): Promise<Unit> => {
  const flags = ['--dev', '--sandbox', 'off']
  const whole = await startUnit({ stateDir, flags })
  await whole.stop()
  const journal = join(stateDir, 'audit.jsonl')
  const lines = (await readFile(journal, 'utf8')).trimEnd().split('\n')
  await writeFile(
    journal,
    lines
      .slice(0, -2)
      .map((line) => `${line}\n`)
      .join(''),
  )
  const cut = await startUnit({ stateDir, flags, untilReady: false })
  await waitFor('a unit that is not ready', 60_000, async () => (await readReadiness(cut)).status === 503)
  return cut
}

/** Asks as fast as it can until nobody listens any more. */
const pollUntilGone = async (unit: Unit, statuses: number[]): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    for (;;) {
      const asked = get(`${unit.address}/readyz`, { agent })
      const [answer] = await once(asked, 'response')
      answer.resume()
      await once(answer, 'end')
      statuses.push(answer.statusCode)
    }
  } catch (error) {
    assert.match(String(error), /ECONNREFUSED|ECONNRESET|socket hang up|aborted/)
  } finally {
    agent.destroy()
  }
}

test('a unit that was not ready never answers 200 while it stops', async (t) => {
  const stateDir = await freshDirectory()
  t.after(() => removeState(stateDir))
  for (let round = 0; round < 3; round += 1) {
    const unit = await startWithCutJournal(stateDir)
    t.after(unit.dispose)
    const statuses: number[] = []
    const pollers = Array.from({ length: 4 }, () => pollUntilGone(unit, statuses))
    await waitFor('answers', 60_000, () => statuses.length > 20)
    await unit.stop()
    await Promise.all(pollers)
    assert.deepEqual([...new Set(statuses)], [503])
    await removeState(stateDir)
  }
})
