// A unit goes on working while the wall clock of all its processes is set: calls, processes that crashed, chat, repeated requests, backups,
// rates. What has an end ends in its time, whatever the step; nothing is removed early, also not by a unit that starts under the step.
// Profile: rest. A matrix of steps of the clock on a whole unit; the services test each rule with a clock of their own.
import assert from 'node:assert/strict'
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { setInterval as everyFor } from 'node:timers/promises'
import { stateFiles } from '@gatehouse/contracts'
import { applyChange, settled } from '../src/changes.ts'
import { allMessages, say } from '../src/chat.ts'
import { descendants, endNow } from '../src/descendants.ts'
import { request } from '../src/http.ts'
import { removeState } from '../src/remove-state.ts'
import { createSteppingClock, skipWithoutFaketime, type SteppingClock } from '../src/stepping-clock.ts'
import { runSvcctl } from '../src/svcctl.ts'
import { freshDirectory, startUnit, type Unit } from '../src/unit.ts'

if (skipWithoutFaketime !== false && process.env['CI'] === 'true') throw new Error(skipWithoutFaketime)

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const times = { '10 s': 10, '10 minutes': 600, 'a day': 86_400, 'a year': 31_536_000 }
const steps = Object.entries(times).flatMap(([name, seconds]) => [
  { name: `${name} back`, seconds: -seconds },
  { name: `${name} forward`, seconds },
])
const few = ['10 minutes back', 'a year forward']
const flags = ['--dev', '--sandbox', 'none', '--change-ttl', '1m', '--chat-retention', '1h', '--calls-retention', '1h']
const patience = 180_000
const term = 60_000

const call = 'tool:sample__echo {"text":"hi"}'
/** Asks every second, since what is asked costs more than what the tests usually wait for. */
const waitSlowly = async (what: string, condition: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + patience
  if (await condition()) return
  for await (const _ of everyFor(1_000)) {
    if (await condition()) return
    if (performance.now() > end) throw new Error(`waited ${patience} ms for ${what}`)
  }
}
const answers = (unit: Unit): Promise<void> => waitSlowly('a tool to answer', async () => (await say(unit, call)) === 'hi')
const grant = (unit: Unit, more: object = {}): Promise<string> =>
  applyChange(unit, { kind: 'mcp_access', after: { server: 'sample', tools: ['echo'], ...more } })
/** In the order in which they came. */
const texts = async (unit: Unit): Promise<string[]> => (await allMessages(unit)).map(({ text }) => text)
const callRecords = async (unit: Unit): Promise<string[]> =>
  (await unit.client.audit.calls({ op: 'call', limit: 200 })).items.map(({ id }) => id)
const sendOnce = async (unit: Unit): Promise<string> =>
  (await unit.client.chat.send({ agentGroupID: 'dev-agent', text: 'once' }, { idempotencyKey: 'the-same' })).messageId
/** What the processes of the unit take for the time. */
const isSet = (unit: Unit, seconds: number): Promise<void> =>
  waitSlowly('the step to be seen', async () => {
    const date = (await fetch(`${unit.address}/readyz`)).headers.get('date')
    return date !== null && Math.abs(Date.parse(date) - Date.now() - seconds * 1_000) < 5_000
  })

interface World {
  readonly unit: Unit
  readonly clock: SteppingClock
}

const open = async (t: TestContext): Promise<World & { start: () => Promise<Unit> }> => {
  const clock = await createSteppingClock()
  const stateDir = await freshDirectory()
  const start = async (): Promise<Unit> => {
    const unit = await startUnit({ flags, env: clock.env, stateDir })
    t.after(unit.dispose)
    return unit
  }
  t.after(async () => {
    await rm(clock.folder, { recursive: true, force: true })
    await removeState(stateDir)
  })
  return { clock, unit: await start(), start }
}

/** A grant, a token with an event stream open on it, and a held change, all with an end. Resolves with what waits for those ends. */
const beginTerms = async (unit: Unit): Promise<() => Promise<void>> => {
  const { id } = await unit.client.changes.submit({ kind: 'persona', agentGroupID: 'dev-agent', after: { instructions: 'x' } })
  const expiresAt = new Date(Date.now() + term).toISOString()
  const { token } = await unit.client.tokens.create({ name: 'brief', role: 'auditor', expiresAt })
  const headers = { authorization: `Bearer ${token}` }
  const status = async (): Promise<number> => (await request(`${unit.address}/v1/status`, { headers })).status
  assert.equal(await status(), 200)
  const events = await fetch(`${unit.address}/v1/events`, { headers })
  assert.equal(events.status, 200)
  const ended = events.text()
  await grant(unit, { expiresAt })
  return async () => {
    await ended
    assert.equal(await status(), 401)
    await waitSlowly('the grant to end', async () => (await say(unit, call)) !== 'hi')
    await waitSlowly('the change to expire', async () => (await unit.client.changes.show(id)).state === 'expired')
  }
}

/** A tool server, and the broker itself. */
const crash = async (unit: Unit): Promise<void> => {
  const broker = await unit.pidOf('broker')
  const servers = await descendants(broker)
  assert.ok(servers.length > 0, 'the server runs')
  for (const pid of servers) endNow(pid)
  await answers(unit)
  endNow(broker)
  await answers(unit)
}

const backUp = async (unit: Unit): Promise<void> => {
  const [passphrase, out] = ['passphrase', 'backup.age'].map((name) => join(unit.stateDir, '..', `${unit.port}-${name}`))
  await writeFile(passphrase ?? '', 'a passphrase of the test 0123456789', { mode: 0o600 })
  const args = ['backup', '--passphrase-file', passphrase ?? '', '--out', out ?? '']
  const { code, stderr } = await runSvcctl(args, { address: unit.address, home: unit.stateDir })
  assert.equal(code, 0, stderr)
  assert.ok((await stat(out ?? '')).size > 0)
  for (const file of [passphrase, out]) await rm(file ?? '')
}

/** Under a limit of one call per minute no step frees a call, and none delays the next. */
const keepRate = async ({ unit, clock }: World, seconds: number): Promise<void> => {
  await settled(unit, await applyChange(unit, { kind: 'permissions', after: { limits: { callsPerMinute: 1 } } }))
  await answers(unit)
  const called = performance.now()
  await clock.set(seconds)
  await isSet(unit, seconds)
  const answer = await say(unit, call)
  if (performance.now() - called < 60_000) assert.match(answer, /calls per minute/)
  if (isFull) await answers(unit)
}

suite('a unit whose clock is set', { concurrency: isFull ? 4 : 2, skip: skipWithoutFaketime, timeout: 3_600_000 }, () => {
  for (const { name, seconds } of steps.filter((step) => isFull || few.includes(step.name))) {
    test(`${name} works on, ends what has an end and removes nothing early`, { timeout: 900_000 }, async (t) => {
      const { unit: first, clock, start } = await open(t)
      await grant(first)
      await answers(first)
      const once = await sendOnce(first)
      const terms = await beginTerms(first)
      await clock.set(seconds)
      await isSet(first, seconds)
      await terms()
      await grant(first)
      await answers(first)
      // Crashes, backups and starts cost seconds of processor time: the fast profile takes some under each of its steps.
      if (isFull || seconds < 0) {
        await crash(first)
        await backUp(first)
      }
      if (!isFull && seconds < 0) return
      const [messages, records] = [await texts(first), await callRecords(first)]

      await first.stop()
      await rename(join(first.stateDir, stateFiles.calls), join(first.stateDir, 'calls.9.jsonl'))
      const unit = await start()
      await isSet(unit, seconds)
      assert.equal(await sendOnce(unit), once, 'the same request is known')
      // A unit of `--dev` grants nothing at its start.
      await grant(unit)
      await answers(unit)
      assert.deepEqual((await texts(unit)).slice(0, messages.length), messages)
      assert.deepEqual((await callRecords(unit)).slice(-records.length), records)
      await keepRate({ unit, clock }, 0)
    })
  }
})
