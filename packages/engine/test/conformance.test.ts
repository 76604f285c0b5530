// The seal, proved in every engine of this machine by the same probe and the same expectations.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Driver, LaunchSpec, Wall } from '../src/index.ts'
import { walls } from '../src/index.ts'
import type { Facts } from '../src/seal/facts.ts'
import { judge } from '../src/seal/judge.ts'
import { type EngineRow, findDriver, rows } from './fixtures/engines.ts'
import { processesWith, until } from './fixtures/processes.ts'
import { type Stay, buildSite, furnish, identity, limits } from './fixtures/site.ts'

const site = await buildSite()
const table = new Map<string, Partial<Record<Wall, string>>>()

after(async () => {
  await site.remove()
  const labels = [...table.keys()]
  const cell = (text: string): string => text.padEnd(16)
  console.log([' '.repeat(20), ...labels.map(cell)].join(''))
  for (const wall of Object.keys(walls) as Wall[]) {
    console.log([wall.padEnd(20), ...labels.map((label) => cell(table.get(label)?.[wall] ?? '-'))].join(''))
  }
})

const run = async (driver: Driver, spec: LaunchSpec) => {
  const sandbox = await driver.launch(spec)
  const lines: string[] = []
  for await (const line of sandbox.output) lines.push(line)
  return { lines, exit: await sandbox.exited }
}

const readFacts = async (driver: Driver, spec: LaunchSpec): Promise<Facts> => {
  const { lines, exit } = await run(driver, spec)
  assert.equal(exit.code, 0, lines.join('\n'))
  return JSON.parse(lines.at(-1) ?? '') as Facts
}

/** Started, and heard of once. */
const started = async (driver: Driver, spec: LaunchSpec) => {
  const sandbox = await driver.launch(spec)
  const first = await sandbox.output[Symbol.asyncIterator]().next()
  assert.equal(first.value, 'running')
  return sandbox
}

/** The launching process, once its sandbox runs. */
const startLauncher = async (row: EngineRow, spec: LaunchSpec) => {
  const launcher = join(import.meta.dirname, 'fixtures/launcher.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', launcher, row.wanted, row.runtime ?? '', JSON.stringify(spec)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
  assert.equal(chunk.toString(), 'running\n')
  return child
}

const confined = (row: EngineRow, driver: Driver, stay: Stay): void => {
  const given = { env: stay.spec('probe').env, mounts: stay.mounts, tmpMiB: limits.tmpMiB }

  it('shows lo alone, and nothing of the host', async () => {
    const facts = await readFacts(driver, stay.spec('probe'))
    assert.deepEqual(facts.interfaces, ['lo'])
    assert.deepEqual(facts.routes, [])
    assert.deepEqual(facts.abstractSockets, [])
    assert.ok((facts.processes ?? []).length <= 3, String(facts.processes))
    assert.ok(facts.environment?.includes('GATEHOUSE_TEST'))
    const leaked = [...(facts.environment ?? []), ...(facts.initEnvironment ?? [])].filter((name) => name in process.env)
    assert.deepEqual(leaked.filter((name) => !['PATH', 'PWD', 'HOME', 'HOSTNAME', 'TERM'].includes(name)), [])
  })

  it('keeps what its driver promises and names what it lacks', async () => {
    const facts = await readFacts(driver, stay.spec('probe'))
    const verdicts = judge(facts, given)
    table.set(row.label, { ...Object.fromEntries(driver.missing.map((wall) => [wall, 'lacking'])), ...verdicts })
    const judged = Object.keys(verdicts) as Wall[]
    const lacking = judged.filter((wall) => verdicts[wall] === 'lacking')
    assert.deepEqual(lacking, judged.filter((wall) => driver.missing.includes(wall)), JSON.stringify(facts))
  })

  it('reaches the socket in a directory that it cannot write, and finds no other', async () => {
    const facts = await readFacts(driver, stay.spec('probe'))
    assert.deepEqual(facts.sockets, { session: 'connected', model: 'ENOENT', tools: 'ENOENT' })
    assert.deepEqual(facts.writable.filter((path) => path !== '/dev/shm').toSorted(), ['/memory', '/tmp', '/workspace'])
  })

  it('runs as the host identity that its driver names', async () => {
    const { exit } = await run(driver, stay.spec('write'))
    assert.equal(exit.code, 0)
    const made = await stat(join(stay.workspace, 'mine'))
    const owner = driver.owner(identity) ?? { uid: process.getuid?.(), gid: process.getgid?.() }
    assert.deepEqual({ uid: made.uid, gid: made.gid }, owner)
    assert.notEqual(made.uid, 0)
  })

  it('sees files of its mounts', async () => {
    await writeFile(join(stay.workspace, 'given'), 'from outside')
    const { lines } = await run(driver, stay.spec('read'))
    assert.deepEqual(lines, ['from outside'])
  })
}

for (const row of rows) {
  const driver = await findDriver(row)
  const skip = typeof driver === 'string' ? driver : false
  describe(row.label, { skip, timeout: 120_000 }, async () => {
    if (typeof driver === 'string') return
    await mkdir(join(site.directory, row.label))
    const stay = await furnish(site, driver, row.label)
    const installation = stay.spec('idle').installation
    const marked = (program: string, marker: string): LaunchSpec => {
      const spec = stay.spec(program)
      return { ...spec, command: [...spec.command, marker] }
    }
    after(() => stay.close())

    if (row.wanted === 'none') {
      it('names every wall that it lacks', async () => {
        const verdicts = judge(await readFacts(driver, stay.spec('probe')), { env: {}, mounts: stay.mounts, tmpMiB: limits.tmpMiB })
        table.set(row.label, { ...Object.fromEntries(driver.missing.map((wall) => [wall, 'lacking'])), ...verdicts })
        const lacking = (Object.keys(verdicts) as Wall[]).filter((wall) => verdicts[wall] === 'lacking')
        assert.deepEqual(lacking.filter((wall) => !driver.missing.includes(wall)), [])
      })
    } else {
      confined(row, driver, stay)
    }

    it('is gone once stop has answered', async () => {
      const marker = `stop-${row.label}-${process.pid}`
      const sandbox = await started(driver, marked('idle', marker))
      const begun = performance.now()
      const exit = await sandbox.stop()
      assert.equal(exit.reason, 'stopped')
      assert.ok(performance.now() - begun < 2_500)
      assert.deepEqual(await sandbox.exited, exit)
      assert.deepEqual(await processesWith(marker), [])
      assert.equal(await driver.reconcile(installation), 0)
      assert.deepEqual(await sandbox.stop(), exit)
    })

    it('tells with which code a program ended, and what it said last', async () => {
      const { exit, lines } = await run(driver, stay.spec('exit'))
      assert.deepEqual(exit, { code: 3, signal: null, reason: 'exited' })
      assert.deepEqual(lines, ['ending'])
    })

    if (row.wanted === 'container') {
      it('reports a kill for memory as such', async () => {
        const { exit } = await run(driver, stay.spec('hog', { limits: { ...limits, memoryMiB: 128 } }))
        assert.equal(exit.reason, 'out-of-memory')
      })
    } else {
      it('tells a kill from an exit', async () => {
        const { exit } = await run(driver, stay.spec('crash'))
        assert.deepEqual(exit, { code: null, signal: 'SIGKILL', reason: 'killed' })
      })
    }

    it('leaves nothing when the launching process is killed, or what it leaves is found by its label alone', async () => {
      const marker = `orphan-${row.label}-${process.pid}`
      const child = await startLauncher(row, marked('idle', marker))
      child.kill('SIGKILL')
      await once(child, 'exit')
      if (row.wanted === 'container') {
        assert.equal(await driver.reconcile('another-installation'), 0)
        assert.equal(await driver.reconcile(installation), 1)
      }
      await until(async () => (await processesWith(marker)).length === 0, 'no process left')
      assert.equal(await driver.reconcile(installation), 0)
      const mounts = await readFile('/proc/self/mounts', 'utf8')
      assert.ok(!mounts.includes(site.directory), 'a mount is left on the host')
    })
  })
}
