// Whatever is wrong with the journal: nothing is decided that it does not hold, the emergency stop works, and all goes on by itself.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, test, type TestContext } from 'node:test'
import { verifyJournal } from '@gatehouse/journal'
import { waitFor } from '@gatehouse/kernel'
import { faults, type Fault } from './faults.ts'
import { stages, urgent, waiting } from './operations.ts'

const hasTracer = spawnSync('strace', ['--version']).status === 0
const isRoot = process.getuid?.() === 0
const skip = hasTracer && isRoot ? false : 'needs root to mount a small file system, and strace, install it with: apt install strace'

const small = (t: TestContext): string => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-fault-'))
  assert.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m,mode=700', 'tmpfs', dir]).status, 0)
  t.after(() => {
    spawnSync('umount', ['-l', dir])
    rmSync(dir, { recursive: true })
  })
  return dir
}

const start = async (t: TestContext, dir: string, kind = 'whole') => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'program.ts'), dir, kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value))
  const ask = (what: string): Promise<unknown> => {
    child.stdin.write(`${what}\n`)
    return next()
  }
  assert.equal(await next(), 'ready')
  return { pid: child.pid ?? 0, ask, exited }
}

type Ask = (what: string) => Promise<unknown>

const before = {
  approve: 'held',
  reject: 'held',
  withdraw: 'held',
  waiting: 3,
  others: 0,
  servers: ['sample'],
  frozen: false,
  allowed: true,
  token: true,
}
const stopped = { ...before, reject: 'rejected', waiting: 2, frozen: true, allowed: false, token: false }

const assertFacts = async (ask: Ask, { mayJournal }: Fault, expected: typeof before): Promise<void> => {
  const found = (await ask('facts')) as typeof before
  // What the journal took stands, and is in the database as soon as that can be.
  assert.deepEqual(mayJournal === true ? { ...found, others: 0 } : found, expected)
}

/** Both lists hold whatever the order of the operations is. */
const underFault = async (ask: Ask, fault: Fault): Promise<number> => {
  for (const name of Object.keys(waiting)) assert.match(String(await ask(name)), /^(audit-unwritable|unavailable)$/, name)
  await assertFacts(ask, fault, before)
  for (const name of Object.keys(urgent)) assert.equal(await ask(name), 'done', name)
  await assertFacts(ask, fault, stopped)
  for (const name of Object.keys(waiting)) assert.match(String(await ask(name)), /^(audit-unwritable|unavailable)$/, name)
  return Object.keys(waiting).length * 2 + Object.keys(urgent).length
}

const goesOn = async (ask: Ask): Promise<number> => {
  for (const name of [...Object.keys(waiting), ...Object.keys(urgent)]) assert.equal(await ask(name), 'done', name)
  return Object.keys(waiting).length + Object.keys(urgent).length
}

describe('the journal at fault', { skip, concurrency: 1 }, () => {
  let cases = 0
  const tryOut = (fault: Fault): void => {
    test(`${fault.name}: nothing unaudited, the stop works, it resumes by itself`, async (t) => {
      const dir = small(t)
      const { pid, ask, exited } = await start(t, dir)
      assert.deepEqual(await ask('facts'), before)
      const end = await fault.begin({ dir, pid })
      cases += fault.refuses ? await underFault(ask, fault) : await goesOn(ask)
      await end()
      await waitFor(async () => (await ask('health')) === 'ready', { what: 'the gateway to be whole again', deadline: 60_000 })
      if (fault.refuses) {
        assert.deepEqual(await ask(fault.mayJournal ? 'journaled' : 'late'), Object.values(stages))
        await assertFacts(ask, fault, stopped)
        assert.deepEqual(await ask('unaudited'), [])
        cases += await goesOn(async (name) => (name in urgent ? 'done' : ask(name)))
      }
      assert.equal(await ask('close'), 'closed')
      await exited
      const verdict = await verifyJournal({ path: join(dir, 'audit.jsonl'), publicKeyPath: join(dir, 'journal.pub') })
      assert.deepEqual({ ...verdict, lines: 0, head: 0 }, { ok: true, lines: 0, head: 0 })
    })
  }
  describe('whose reserve is waited for', { concurrency: true }, () => {
    for (const fault of faults.filter(({ takesReserve }) => takesReserve)) tryOut(fault)
  })
  for (const fault of faults.filter(({ takesReserve }) => takesReserve !== true)) tryOut(fault)

  test('the same cases notice a gateway that decides without its journal', async (t) => {
    const dir = small(t)
    const { pid, ask } = await start(t, dir, 'careless')
    const fault = faults.find(({ name }) => name === 'a journal with a second name')
    assert.ok(fault !== undefined)
    const end = await fault.begin({ dir, pid })
    await assert.rejects(underFault(ask, fault), { name: 'AssertionError', message: /submit/ })
    await end()
  })

  test('there are at least 66 cases', (t) => {
    t.diagnostic(`${cases} cases`)
    assert.ok(cases >= 66, `got ${cases}`)
  })
})
