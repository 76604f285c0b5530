// Proves the seal with every engine of this machine, by the same probe and the same expectations.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Driver, LaunchSpec, Control } from '../src/index.ts'
import { controls } from '../src/index.ts'
import type { Facts } from '../src/seal/facts.ts'
import { evaluateSeal } from '../src/seal/judge.ts'
import { type EngineRow, findDriver, home, rows } from './fixtures/engines.ts'
import { processesWith, until } from './fixtures/processes.ts'
import { isBehind, processesInContainers, processesInGroup } from './fixtures/standing.ts'
import { type Stay, buildSite, furnish, furnishFiles, identity, limits } from './fixtures/site.ts'

const site = await buildSite()
const table = new Map<string, Partial<Record<Control, string>>>()

const stays: Stay[] = []

after(async () => {
  for (const stay of stays) await stay.forget()
  await site.remove()
  const labels = [...table.keys()]
  const cell = (text: string): string => text.padEnd(16)
  console.log([' '.repeat(20), ...labels.map(cell)].join(''))
  for (const wall of Object.keys(controls) as Control[]) {
    console.log([wall.padEnd(20), ...labels.map((label) => cell(table.get(label)?.[wall] ?? 'not probed'))].join(''))
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
  const child = spawn(process.execPath, [launcher, row.label, JSON.stringify(spec)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ENGINE_HOME: home },
  })
  const said = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  assert.equal(String(said[0]), 'running\n')
  return child
}

const confined = (row: EngineRow, driver: Driver, stay: () => Stay): void => {
  let seen: Promise<Facts> | undefined
  const facts = (): Promise<Facts> => (seen ??= readFacts(driver, stay().spec('probe')))

  it('shows only lo, and nothing of the host', async () => {
    const { interfaces, routes, abstractSockets, processes, environment, initEnvironment } = await facts()
    assert.deepEqual({ interfaces, routes, abstractSockets }, { interfaces: ['lo'], routes: [], abstractSockets: [] })
    assert.ok((processes ?? []).length <= 3, String(processes))
    assert.ok(environment?.includes('GATEHOUSE_TEST'))
    const leaked = [...(environment ?? []), ...(initEnvironment ?? [])].filter((name) => name in process.env)
    assert.deepEqual(
      leaked.filter((name) => !['PATH', 'PWD', 'HOME', 'HOSTNAME', 'TERM'].includes(name)),
      [],
    )
  })

  it('has no resolver of the host, and cannot choose the login id that it is audited by where we start it', async () => {
    const { resolvers, loginID } = await facts()
    assert.ok(
      resolvers?.every((name) => ['192.0.2.1', '.'].includes(name)),
      String(resolvers),
    )
    // Those of Docker and containerd are started by a daemon: there the seal says what it found.
    if (!/^(docker|nerdctl)/.test(row.label)) assert.notEqual(loginID, 'settable')
  })

  it('has the controls that its driver promises and reports the missing ones', async () => {
    const verdicts = evaluateSeal(await facts(), {
      env: stay().spec('probe').env,
      mounts: stay().mounts,
      tmpMiB: limits.tmpMiB,
      kernel: driver.kernel,
    })
    table.set(row.label, { ...Object.fromEntries(driver.missing.map((wall) => [wall, 'lacking'])), ...verdicts })
    const judged = Object.keys(verdicts) as Control[]
    const lacking = judged.filter((wall) => verdicts[wall] === 'lacking')
    assert.deepEqual(
      lacking,
      judged.filter((wall) => driver.missing.includes(wall)),
      JSON.stringify(await facts()),
    )
  })

  it('reaches the socket in a directory that it cannot write, and finds no other', async () => {
    const { sockets, writable } = await facts()
    assert.deepEqual(sockets, { session: 'connected', model: 'ENOENT', tools: 'ENOENT' })
    assert.deepEqual(writable.filter((path) => path !== '/dev/shm').toSorted(), ['/memory', '/tmp', '/workspace'])
  })

  it('runs as the host identity that its driver names', async () => {
    const { exit } = await run(driver, stay().spec('write'))
    assert.equal(exit.code, 0)
    const made = await stat(join(stay().workspace, 'mine'))
    const owner = driver.owner(identity) ?? { uid: process.getuid?.(), gid: process.getgid?.() }
    assert.deepEqual({ uid: made.uid, gid: made.gid }, owner)
    assert.notEqual(made.uid, 0)
  })

  it('sees the files of its mounts, including mounts of single files', async () => {
    const spec = stay().spec('read')
    const files = await furnishFiles(stay())
    await writeFile(join(stay().workspace, 'given'), 'from outside')
    await chmod(join(stay().workspace, 'given'), 0o444)
    const mounts = [...spec.mounts, ...files.mounts]
    const { lines } = await run(driver, { ...spec, mounts, command: [...spec.command, '/workspace/given', '/mnt/one', '/mnt/own'] })
    assert.deepEqual(lines, ['from outside: EACCES', 'to be read: EROFS', 'to be written: written'])
    assert.deepEqual(await files.read(), ['to be read', 'to be written and inside'])
  })
}

const found: { row: EngineRow; driver: Driver | string }[] = []
for (const row of rows) found.push({ row, driver: await findDriver(row) })

for (const { row, driver } of found) {
  const skip = typeof driver === 'string' ? driver : false
  describe(row.label, { skip, timeout: 300_000 }, () => {
    if (typeof driver === 'string') return
    let stay: Stay
    before(async () => {
      stay = await furnish(site, driver, row.label)
      stays.push(stay)
    })
    const marked = (program: string, marker: string): LaunchSpec => {
      const spec = stay.spec(program)
      return { ...spec, command: [...spec.command, marker] }
    }
    after(() => stay.close())

    if (driver.name === 'none') {
      it('reports every missing control', async () => {
        const verdicts = evaluateSeal(await readFacts(driver, stay.spec('probe')), {
          env: {},
          mounts: stay.mounts,
          tmpMiB: limits.tmpMiB,
          kernel: driver.kernel,
        })
        table.set(row.label, { ...Object.fromEntries(driver.missing.map((wall) => [wall, 'lacking'])), ...verdicts })
        const lacking = (Object.keys(verdicts) as Control[]).filter((wall) => verdicts[wall] === 'lacking')
        assert.deepEqual(
          lacking.filter((wall) => !driver.missing.includes(wall)),
          [],
        )
      })
    } else {
      confined(row, driver, () => stay)
    }

    it('has a lower priority than the services, and is gone when stop resolves', async (t) => {
      const marker = `stop-${row.label}-${process.pid}`
      const sandbox = await started(driver, marked('idle', marker))
      t.after(() => sandbox.stop())
      const own = driver.name === 'container' ? await processesInContainers(row.label.split('-')[0] ?? '', stay.unitId) : []
      const running = [...own, ...(await processesWith(marker)), ...(await processesInGroup(stay.unitId))]
      assert.ok(running.length > 0)
      // An engine whose runtime sets no limits sets no weight either.
      if (!driver.missing.includes('cpu-limit') || driver.name !== 'container')
        assert.deepEqual(
          await Promise.all(running.map(isBehind)),
          running.map(() => true),
        )
      assert.equal(await isBehind(process.pid), false)
      assert.equal((await sandbox.stop()).reason, 'stopped')
      const exit = await sandbox.exited
      assert.equal(exit.reason, 'stopped')
      assert.deepEqual(await processesWith(marker), [])
      assert.equal(await driver.reconcile(stay.unitId), 0)
      assert.deepEqual(await sandbox.stop(), exit)
    })

    it('reports the exit code of a program and its last output', async () => {
      const { exit, lines } = await run(driver, stay.spec('exit'))
      assert.deepEqual(exit, { code: 3, signal: null, reason: 'exited' })
      assert.deepEqual(lines, ['ending'])
    })

    it('does not change the owners of the host devices', async () => {
      const ownerOf = async (device: string) => stat(device).then(({ uid, gid, mode }) => ({ uid, gid, mode }))
      await run(driver, stay.spec('exit'))
      assert.deepEqual(await ownerOf('/dev/null'), await ownerOf('/dev/zero'))
    })

    if (!driver.missing.includes('memory-limit')) {
      it('reports an out-of-memory kill', async () => {
        const { exit } = await run(driver, stay.spec('hog', { limits: { ...limits, memoryMiB: 128 } }))
        assert.equal(exit.reason, 'out-of-memory')
      })
    }
    if (!driver.missing.includes('process-limit')) {
      it('allows exactly the limit of processes and threads', async () => {
        const processes = 24
        const pids = driver.processBound === 'group' ? processes : 4 * processes
        const { lines, exit } = await run(driver, stay.spec('threads', { limits: { ...limits, memoryMiB: 1024, processes, pids } }))
        // gVisor counts its own too.
        if (driver.kernel === 'gvisor') assert.ok(Number(lines.at(-1)) <= processes, lines.join('\n'))
        else assert.equal(lines.at(-1), String(processes), JSON.stringify({ lines, exit }))
      })
    }
    // Elsewhere a limit within the sandbox comes first, or the engine's own group is gone with its counter.
    if (driver.name === 'bubblewrap' || (driver.name === 'oci' && driver.kernel === 'host')) {
      it('reports an exit caused by the process limit', async () => {
        const { exit } = await run(driver, stay.spec('crowd', { limits: { ...limits, pids: 28 } }))
        assert.equal(exit.reason, 'out-of-processes')
      })
    }
    // The first process of a namespace cannot kill itself.
    if (driver.name === 'bubblewrap' || driver.name === 'none') {
      it('distinguishes a kill from an exit', async () => {
        const { exit } = await run(driver, stay.spec('crash'))
        assert.deepEqual(exit, { code: null, signal: 'SIGKILL', reason: 'killed' })
      })
    }

    it('leaves nothing when the launching process is killed, or only what its label identifies', async () => {
      const marker = `orphan-${row.label}-${process.pid}`
      const child = await startLauncher(row, { ...marked('idle', marker), rootfs: site.rootfs })
      child.kill('SIGKILL')
      await once(child, 'exit')
      assert.equal(await driver.reconcile('another-unit'), 0)
      const left = await driver.reconcile(stay.unitId)
      if (driver.name === 'container' || row.label === 'oci-runc') assert.equal(left, 1)
      await until(async () => (await processesWith(marker)).length === 0, 'no process left')
      assert.equal(await driver.reconcile(stay.unitId), 0)
      const points = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '')
      const disks = stays.map(({ workspace }) => dirname(workspace))
      const strays = points.filter((point) => [site.directory, home].some((own) => point.startsWith(`${own}/`)) && !disks.includes(point))
      assert.deepEqual(strays, [], 'a mount is left on the host')
    })
  })
}
