// A declaration of five groups and six tool servers, brought to a real unit: asked for, approved, and then nothing more.
// Profile: rest. A declaration against a whole unit; apps/svcctl tests what it asks for.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startSample } from '../src/sample-over-http.ts'
import { runSvcctl, type Ran } from '../src/svcctl.ts'
import { release, startUnit, type Unit, type UnitOptions } from '../src/unit.ts'

let unit: Unit
let far: Awaited<ReturnType<typeof startSample>>
let file: string
const options: UnitOptions = { flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off'], env: { FAR_TOKEN: 'far away' } }

const svcctl = (args: readonly string[], input?: string): Promise<Ran> =>
  runSvcctl(args, { address: unit.address, home: unit.stateDir, ...(input !== undefined && { input }) })

const sample = { transport: 'stdio', command: process.execPath, args: [join(release, 'mcp-sample.mjs')] }
/** All of them can be reached: else a grant waits for what nobody tells of its tools. */
const serversWith = (url: string) => ({
  ...Object.fromEntries(['one', 'two', 'three', 'four'].map((name) => [name, sample])),
  five: { ...sample, env: { PLACE: 'kept inside' } },
  far: { transport: 'http', url, headers: { 'X-Token': '${FAR_TOKEN}' } },
})
const group = (name: string, rest: object = {}) => ({ name, agent: 'mock', persona: `You are ${name}.\nBe brief.`, ...rest })
const declarationWith = (url: string) => ({
  version: 1,
  servers: serversWith(url),
  groups: {
    alpha: group('Alpha', { grants: { one: { tools: ['echo'] }, two: { tools: [] } } }),
    beta: group('Beta', { tools: ['read_file', 'run_script'], grants: { five: { tools: ['add', 'echo'], maxCalls: 100 } } }),
    gamma: group('Gamma', { limits: { memoryMiB: 256, cpus: 0.5 }, members: [{ channel: 'slack', user: 'U1' }] }),
    delta: group('Delta', { wirings: [{ channel: 'slack', address: 'C1', engage: 'mention', session: 'thread' }] }),
    epsilon: group('Epsilon', { grants: { far: { tools: ['search'], expiresAt: '2099-01-31T09:30:00Z' } } }),
  },
})

interface Applied {
  readonly steps: readonly { readonly kind: string; readonly state: string; readonly changeID?: string }[]
  readonly others: readonly string[]
  readonly complete: boolean
}

const apply = async (...flags: string[]): Promise<Applied> => {
  const { stdout, stderr, code } = await svcctl(['apply', '-f', file, '--json', ...flags])
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as Applied
}

before(async () => {
  far = await startSample()
  unit = await startUnit(options)
  file = join(unit.stateDir, 'gatehouse.yaml')
  await writeFile(file, JSON.stringify(declarationWith(far.url)))
})
after(async () => {
  await unit?.dispose()
  await far?.stop()
})

test('what is missing is asked for once, approved by people, and the last run does nothing', async () => {
  const shown = await svcctl(['apply', '-f', file, '--diff'])
  assert.match(shown.stdout, /^agent_create alpha$/m)
  assert.match(shown.stdout, /^mcp_access alpha \(waits for the group alpha\)$/m)
  assert.equal((await unit.client.changes.pending()).items.length, 0, '--diff asks for nothing')

  for (let round = 1; ; round += 1) {
    assert.ok(round <= 4, 'it comes to an end')
    const first = await apply()
    if (first.complete) break
    const again = await apply()
    assert.ok(!again.steps.some(({ state }) => state === 'submitted'), 'nothing is asked for twice')
    for (const { changeID } of first.steps) {
      if (changeID === undefined) continue
      await unit.client.changes.decide(changeID, { outcome: 'approve', decidedBy: 'somebody' })
    }
  }
  assert.deepEqual(await apply(), { steps: [], others: [], complete: true })
  assert.deepEqual(await svcctl(['apply', '-f', file]), { code: 0, stdout: '', stderr: '' })
  const { items } = await unit.client.groups.list()
  assert.deepEqual(items.map(({ id }) => id).toSorted(), ['alpha', 'beta', 'delta', 'dev-agent', 'epsilon', 'gamma'])
  assert.equal((await unit.client.servers.list()).items.length, 7)
  assert.equal((await unit.client.explain('beta', 'five__add')).allowed, true)
})

test('what a unit exports is what it has', async () => {
  const { stdout, code } = await svcctl(['export'])
  assert.equal(code, 0)
  assert.ok(!stdout.includes('kept inside'), 'a stored value is masked')
  assert.match(stdout, /X-Token: \$\{FAR_TOKEN\}/)
  const diff = await svcctl(['apply', '-f', '-', '--diff'], stdout)
  assert.deepEqual(diff, { code: 0, stdout: '', stderr: '' })
})

test('what a fresh unit lacks comes in one run where it is approved at once, and one that moved is mended', async (t) => {
  const other = await startUnit(options)
  t.after(other.dispose)
  const run = (...args: string[]) => runSvcctl(args, { address: other.address, home: other.stateDir })
  const { stdout, stderr, code } = await run('apply', '-f', file, '--approve-as', 'somebody', '--json')
  assert.equal(code, 0, stderr)
  assert.equal((JSON.parse(stdout) as Applied).complete, true)
  assert.equal((await run('apply', '-f', file, '--diff')).stdout, '')

  const { id } = await other.client.changes.submit({ kind: 'persona', agentGroupID: 'alpha', after: { instructions: 'Another.' } })
  await other.client.changes.decide(id, { outcome: 'approve', decidedBy: 'somebody' })
  assert.match(
    (await run('apply', '-f', file, '--diff')).stdout,
    /^persona alpha\n {2}- instructions: Another\.\n {2}\+ instructions: You are Alpha\./m,
  )
  await run('apply', '-f', file, '--approve-as', 'somebody')
  assert.equal((await run('apply', '-f', file, '--diff')).stdout, '')
})
