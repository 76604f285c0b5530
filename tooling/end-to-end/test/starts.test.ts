// How a unit starts, and every way in which it refuses to.
// Profile: rest. Each way of a start needs a unit of its own; apps/supervisor tests the plan of a start and its refusals.
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test, type TestContext } from 'node:test'
import { exits, isServiceError } from '@gatehouse/contracts'
import { execa } from 'execa'
import { descendants } from '../src/descendants.ts'
import { request } from '../src/http.ts'
import { removeState } from '../src/remove-state.ts'
import { freePort, freshDirectory, release, startUnit, type Unit, type UnitOptions } from '../src/unit.ts'
import { waitFor } from '../src/wait-for.ts'

const token = 'b'.repeat(64)
/** No driver is looked for, where that is not what is asked. */
const dev = ['--dev', '--sandbox', 'off']

const directory = async (t: TestContext): Promise<string> => {
  const path = await freshDirectory()
  t.after(() => removeState(path))
  return path
}

const ended = async (t: TestContext, options: UnitOptions): Promise<{ code: number | undefined; said: string }> => {
  const unit = await startUnit({ untilReady: false, flags: dev, ...options, stateDir: options.stateDir ?? (await directory(t)) })
  t.after(unit.dispose)
  const { code } = await unit.exited
  return { code, said: unit.lines.join('\n') }
}

const occupiedPort = async (t: TestContext): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const address = server.address()
  assert.ok(address !== null && typeof address !== 'string')
  return address.port
}

const linesWith = ({ lines }: Unit, text: string): number => lines.filter((line) => line.includes(text)).length
const until = (unit: Unit, text: string): Promise<boolean> => waitFor(`the line with ${text}`, 60_000, () => linesWith(unit, text) > 0)

test('a production unit mints its token once, prints it once, keeps it 0600 and never prints it again', async (t) => {
  const stateDir = await directory(t)
  const first = await startUnit({ stateDir, flags: ['--sandbox', 'off'] })
  t.after(first.dispose)
  const minted = (await readFile(join(stateDir, 'admin-token'), 'utf8')).trim()
  assert.equal((await stat(join(stateDir, 'admin-token'))).mode & 0o777, 0o600)
  await until(first, ' ready ')
  assert.equal(linesWith(first, minted), 1)
  assert.equal((await request(`${first.address}/v1/status`, { headers: { authorization: `Bearer ${minted}` } })).status, 200)
  await first.stop()

  const second = await startUnit({ stateDir, flags: ['--sandbox', 'off', '--log-level', 'debug'] })
  t.after(second.dispose)
  assert.equal((await request(`${second.address}/v1/status`, { headers: { authorization: `Bearer ${minted}` } })).status, 200)
  await until(second, ' ready ')
  assert.equal(linesWith(second, minted), 0)
})

test('a start that fails prints no token; the first that becomes ready prints it, and no later one', async (t) => {
  const stateDir = await directory(t)
  const flags = ['--sandbox', 'off']
  const taken = await occupiedPort(t)
  assert.equal((await ended(t, { stateDir, flags, port: taken })).code, exits.addressInUse)
  const minted = (await readFile(join(stateDir, 'admin-token'), 'utf8')).trim()
  const shown: number[] = []
  for (const port of [taken, undefined, undefined]) {
    const unit = await startUnit({ stateDir, flags, untilReady: false, ...(port !== undefined && { port }) })
    t.after(unit.dispose)
    if (port === undefined) await until(unit, ' ready ')
    await (port === undefined ? unit.stop() : unit.exited)
    shown.push(linesWith(unit, minted))
  }
  assert.deepEqual(shown, [0, 1, 0])
})

test('a unit that cannot write its journal says that it is not ready, and that it is as soon as it can', async (t) => {
  const stateDir = await directory(t)
  const flags = ['--dev', '--sandbox', 'off']
  await (await startUnit({ stateDir, flags })).stop()
  const journal = join(stateDir, 'audit.jsonl')
  await chmod(journal, 0o644)
  const unit = await startUnit({ stateDir, flags, untilReady: false })
  t.after(unit.dispose)
  await until(unit, 'it is not ready')
  assert.equal((await request(`${unit.address}/readyz`)).status, 503)
  assert.equal(linesWith(unit, 'Gatehouse runs.'), 0)
  assert.equal(linesWith(unit, ' supervisor    ready '), 0)
  assert.match(unit.lines.join('\n'), /not ready: \/readyz answers 503.*degraded=\S*journal/)
  await chmod(journal, 0o600)
  await until(unit, 'Gatehouse runs.')
  assert.equal((await request(`${unit.address}/readyz`)).status, 200)
})

test('a unit starts by environment variables alone, on every address', async (t) => {
  const port = await freePort()
  const stateDir = await directory(t)
  const child = execa(process.execPath, [join(release, 'gatehouse.mjs')], {
    env: {
      SERVICE_API_ADDR: `0.0.0.0:${port}`,
      SERVICE_STATE_DIR: stateDir,
      SERVICE_API_TOKEN: token,
      SERVICE_SANDBOX: 'off',
      SERVICE_LOG_FORMAT: 'json',
    },
    extendEnv: false,
    reject: false,
    all: true,
  })
  t.after(async () => {
    child.kill('SIGTERM')
    await child
  })
  await waitFor('the unit to be ready', 60_000, async () => (await request(`http://127.0.0.1:${port}/readyz`)).status === 200)
  child.kill('SIGTERM')
  const { all, exitCode } = await child
  assert.equal(exitCode, 0)
  for (const line of all.trimEnd().split('\n')) assert.doesNotThrow(() => JSON.parse(line), line)
  assert.ok(!all.includes(token))
})

suite('a unit of --dev', () => {
  let stateDir: string
  let unit: Unit
  before(async () => {
    stateDir = await freshDirectory()
    unit = await startUnit({ stateDir, flags: dev })
  })
  after(async () => {
    await unit?.dispose()
    await removeState(stateDir)
  })
  const stopped = () => unit.stop()

  test('--dev says that local servers run unisolated and that no token is asked for', async () => {
    assert.match(unit.lines.join('\n'), /unisolated/)
    assert.equal((await request(`${unit.address}/v1/status`)).status, 200)
  })

  test('a second unit on the same state ends with 75 and leaves the first alone', async (t) => {
    assert.equal((await ended(t, { stateDir })).code, 75)
    assert.equal((await request(`${unit.address}/readyz`)).status, 200)
  })

  test('the catalog is created 0600, and a wider one is refused with the chmod', async (t) => {
    const catalog = join(stateDir, 'mcp-catalog.json')
    assert.equal((await stat(catalog)).mode & 0o777, 0o600)
    await stopped()
    await chmod(catalog, 0o644)
    const { code, said } = await ended(t, { stateDir })
    await chmod(catalog, 0o600)
    assert.equal(code, 78)
    assert.match(said, new RegExp(`chmod 0?600 ${catalog}`))
  })

  test('another mode on the same state ends with 78', async (t) => {
    await stopped()
    const { code, said } = await ended(t, { stateDir, flags: ['--sandbox', 'off'] })
    assert.equal(code, 78)
    assert.match(said, /mode dev/)
  })

  test('a wrong master key is a clear error and changes nothing', async (t) => {
    await stopped()
    const database = await readFile(join(stateDir, 'gateway.db'))
    await writeFile(join(stateDir, 'keyring.json'), JSON.stringify({ epochs: [{ epoch: 1, key: 'cd'.repeat(32) }] }), { mode: 0o600 })
    const { code, said } = await ended(t, { stateDir })
    assert.equal(code, 78)
    assert.match(said, /master key/)
    assert.deepEqual(await readFile(join(stateDir, 'gateway.db')), database)
  })
})

test('a unit that is told to end while it starts ends, and does not start first', async (t) => {
  const unit = await startUnit({ flags: dev, untilReady: false })
  t.after(unit.dispose)
  const gateway = await waitFor('a gateway', 60_000, async () => {
    for (const pid of await descendants(unit.pid))
      if ((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).startsWith('gatehouse-gateway')) return pid
    return undefined
  })
  // Without it nobody gets ready.
  process.kill(gateway, 'SIGSTOP')
  process.kill(unit.pid, 'SIGTERM')
  try {
    await waitFor('the unit to end', 60_000, () => unit.lines.some((line) => line.includes('stopping')))
  } finally {
    process.kill(gateway, 'SIGCONT')
  }
  assert.deepEqual(await unit.exited, { code: exits.stopped, signal: undefined })
  assert.ok(!unit.lines.some((line) => / supervisor +ready /.test(line)), unit.lines.join('\n'))
})

test('a port in use ends with 69', async (t) => {
  assert.equal((await ended(t, { port: await occupiedPort(t) })).code, 69)
})

const isRoot = process.getuid?.() === 0
const needsRoot = { skip: !isRoot && 'needs root, which chowns' }

test('a state directory on a read-only file system ends with 77 and says so', needsRoot, async (t) => {
  const path = await freshDirectory()
  await execa('mount', ['-t', 'tmpfs', '-o', 'ro,size=64k', 'tmpfs', path])
  t.after(async () => {
    await execa('umount', [path])
    await rm(path, { recursive: true })
  })
  const { code, said } = await ended(t, { stateDir: join(path, 'state'), flags: ['--sandbox', 'off'] })
  assert.equal(code, 77)
  assert.match(said, /EROFS.*\n.*mount the file system of .* for writing/)
})

/** The uid of the unit in an image. */
const uid = 65_532

for (const [what, make] of [
  ['a new volume, of root and with mode 0755', (path: string) => mkdir(path, { mode: 0o755 })],
  ['a directory with files of root', async (path: string) => (await mkdir(path), writeFile(join(path, 'notes'), ''))],
  ['a directory below one of root', async () => undefined],
] as const)
  test(`${what}: ends with 77, and the line that it prints is all that is needed`, needsRoot, async (t) => {
    const above = await directory(t)
    await chmod(above, 0o755)
    const stateDir = join(above, 'state')
    await make(stateDir)
    const options: UnitOptions = { stateDir, uid, flags: ['--sandbox', 'off'], env: { SERVICE_API_TOKEN: token }, token }
    const { code, said } = await ended(t, options)
    assert.equal(code, 77, said)
    const line = /run as root: (.+)/.exec(said)?.[1]
    assert.ok(line !== undefined, said)
    await execa('/bin/sh', ['-c', line])
    const unit = await startUnit(options)
    t.after(unit.dispose)
    assert.equal((await stat(stateDir)).mode & 0o777, 0o700)
  })

test('a state directory that mkdir made is taken, and narrowed to 0700', async (t) => {
  const stateDir = join(await directory(t), 'state')
  await mkdir(stateDir, { mode: 0o755 })
  const unit = await startUnit({ stateDir, flags: dev })
  t.after(unit.dispose)
  assert.equal((await stat(stateDir)).mode & 0o777, 0o700)
})

test('--dev on a public address ends with 78', async (t) => {
  const stateDir = await directory(t)
  const { exitCode } = await execa(
    process.execPath,
    [join(release, 'gatehouse.mjs'), '--dev', '--addr', '0.0.0.0:0', '--state-dir', stateDir],
    { reject: false },
  )
  assert.equal(exitCode, 78)
})

test('in production without runsc the unit is ready, says that sandboxes are refused, and refuses launches alone', async (t) => {
  const empty = await mkdtemp(join(tmpdir(), 'gatehouse-no-engine-'))
  t.after(() => rm(empty, { recursive: true, force: true }))
  const unit = await startUnit({ flags: [], env: { PATH: empty, SERVICE_API_TOKEN: token }, token })
  t.after(unit.dispose)
  const ready = await request(`${unit.address}/readyz`)
  assert.equal(ready.status, 200)
  assert.equal((await unit.client.status()).sandbox.status, 'refused')
})

test('a probe of a local server says why no engine can be used, and what to do', async (t) => {
  const empty = await mkdtemp(join(tmpdir(), 'gatehouse-no-engine-'))
  t.after(() => rm(empty, { recursive: true, force: true }))
  const flags = ['--sandbox', 'off', '--mcp-catalog', join(empty, 'catalog.json'), '--mcp-engine', 'nerdctl']
  const unit = await startUnit({ flags, env: { SERVICE_API_TOKEN: token }, token })
  t.after(unit.dispose)
  await unit.client.servers.put('local', { transport: 'stdio', command: '/bin/server', args: [], image: 'server:1', env: {} })
  await assert.rejects(
    unit.client.servers.probe('local'),
    (error) => isServiceError(error) && /no container engine can be used: nerdctl .*--mcp-engine/.test(error.detail),
  )
})

test('in production a driver that lacks a wall launches nothing, and says which', async (t) => {
  // Podman does not know this runtime, and Docker gives no group a host uid of its own; where neither is, that is what lacks.
  const flags = ['--sandbox', 'container', '--sandbox-runtime', 'runsc']
  const unit = await startUnit({ flags, env: { SERVICE_API_TOKEN: token }, token })
  t.after(unit.dispose)
  const { sandbox } = await waitFor('a verdict', 60_000, async () => {
    const status = await unit.client.status()
    return /missing|older|not found|does not answer|failed/.test(status.sandbox.reason ?? '') ? status : undefined
  })
  assert.equal(sandbox.status, 'refused')
  const create = { kind: 'agent_create', agentGroupID: 'clerk', after: { id: 'clerk', name: 'Clerk', agent: 'mock' } }
  const { id } = await unit.client.changes.submit(create)
  assert.equal((await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'someone' })).state, 'applied')
  await assert.rejects(
    unit.client.chat.send({ agentGroupID: 'clerk', text: 'hello' }),
    (error) => isServiceError(error) && error.code === 'no-sandbox',
  )
})
