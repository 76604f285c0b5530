// Two units on a host: what is said of the one that is addressed never comes from the files of the other.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Status, UnitIdentity } from '@gatehouse/contracts'
import type { Finding } from '../../src/doctor/check.ts'
import { status } from '../contents.ts'
import { startUnit } from '../fake-unit.ts'
import { keepState } from '../kept-state.ts'
import { svcctl } from '../svcctl.ts'

const makeState = async (directory: string, installation: string): Promise<string> => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(join(directory, 'state.json'), JSON.stringify({ schema: 1, installation, mode: 'dev' }), { mode: 0o600 })
  await keepState(directory, ['start', 'submit', 'stop'])
  return directory
}

const identityOf = (stateDir: string, installation: string): UnitIdentity => {
  const { dev, ino } = statSync(stateDir, { bigint: true })
  return { installation, stateDir, device: String(dev), inode: String(ino) }
}

/** The addressed unit in a directory of its own, and another, stopped one at a default place. */
const makeHost = async (t: TestContext) => {
  const home = mkdtempSync(join(tmpdir(), 'svcctl-two-units-'))
  const [own, other] = [await makeState(join(home, 'own'), 'a'), await makeState(join(home, '.local/state/gatehouse-dev'), 'b')]
  const answers: Record<string, Status> = { 'GET /v1/status': { ...status, identity: identityOf(own, 'a') } }
  const unit = await startUnit({ answers })
  t.after(async () => {
    await unit.close()
    rmSync(home, { recursive: true })
  })
  const report = (identity: UnitIdentity): void => void (answers['GET /v1/status'] = { ...status, identity })
  const run = (args: readonly string[]) => svcctl(args, { env: { HOME: home } })
  const verify = (...args: readonly string[]) => run(['audit', 'verify', ...args])
  const doctor = async (...args: readonly string[]) => {
    const { stdout } = await run(['doctor', '--json', ...args])
    const findings = JSON.parse(stdout) as Finding[]
    return (check: string): Finding | undefined => findings.find((finding) => finding.check === check)
  }
  return { home, own, other, address: unit.address, report, verify, doctor }
}

/** Doctor has read nothing of any state directory. */
const assertNothingRead = (find: (check: string) => Finding | undefined, { own, other }: { own: string; other: string }): void => {
  for (const check of ['journal', 'state-files', 'state-contents', 'disk']) {
    const { status: found, detail = '' } = find(check) ?? {}
    assert.equal(found, 'warn', check)
    assert.match(detail, /^not checked: /)
    assert.ok(!detail.includes(own) && !detail.includes(other), detail)
  }
}

test('with the address of a unit its own directory is read and named, not the only default one of the host', async (t) => {
  const host = await makeHost(t)
  const ended = await host.verify('--addr', host.address)
  assert.equal(ended.code, 0, ended.stderr)
  assert.match(ended.stderr, new RegExp(`^Read ${host.own}/audit.jsonl, of the unit at ${host.address}\\.\n`))
  const find = await host.doctor('--addr', host.address)
  assert.deepEqual([find('state-directory')?.status, find('journal')?.status], ['pass', 'pass'])
  for (const check of ['state-directory', 'journal']) assert.ok(find(check)?.detail.startsWith(host.own), find(check)?.detail)
})

test('the directory of another unit is refused, and both are named', async (t) => {
  const host = await makeHost(t)
  const ended = await host.verify('--addr', host.address, '--state-dir', host.other)
  assert.deepEqual([ended.code, ended.stdout], [5, ''])
  assert.ok(ended.stderr.includes(host.own) && ended.stderr.includes(host.other), ended.stderr)
  const find = await host.doctor('--addr', host.address, '--state-dir', host.other)
  assert.equal(find('state-directory')?.status, 'fail')
  assertNothingRead(find, host)
})

test("a copy of the unit's directory is refused, and so is its own directory with another installation in it", async (t) => {
  const host = await makeHost(t)
  const copy = join(host.home, 'copy')
  cpSync(host.own, copy, { recursive: true })
  assert.equal((await host.verify('--addr', host.address, '--state-dir', copy)).code, 5)
  assert.equal((await host.doctor('--addr', host.address, '--state-dir', copy))('state-directory')?.status, 'fail')
  writeFileSync(join(host.own, 'state.json'), JSON.stringify({ schema: 1, installation: 'b', mode: 'dev' }))
  assert.equal((await host.verify('--addr', host.address, '--state-dir', host.own)).code, 5)
})

test('of a unit on another host nothing here is read', async (t) => {
  const host = await makeHost(t)
  host.report({ ...identityOf(host.own, 'a'), stateDir: '/srv/of/another/host' })
  const ended = await host.verify('--addr', host.address)
  assert.deepEqual([ended.code, ended.stdout], [4, ''])
  assert.match(ended.stderr, /\/srv\/of\/another\/host/)
  assertNothingRead(await host.doctor('--addr', host.address), host)
})

test('of a unit that does not answer nothing is read unless its directory is named, and then that is said', async (t) => {
  const host = await makeHost(t)
  const nobody = 'http://127.0.0.1:9'
  assert.equal((await host.verify('--addr', nobody)).code, 4)
  assertNothingRead(await host.doctor('--addr', nobody), host)
  const named = await host.verify('--addr', nobody, '--state-dir', host.other)
  assert.equal(named.code, 0)
  assert.match(named.stderr, new RegExp(`^Read ${host.other}/audit.jsonl, not compared with the unit at ${nobody}: `))
})

test('without an address a directory is read by its name alone', async (t) => {
  const host = await makeHost(t)
  const ended = await host.verify('--state-dir', host.other)
  assert.equal(ended.code, 0)
  assert.match(ended.stderr, new RegExp(`^Read ${host.other}/audit.jsonl, no unit was asked\\.\n`))
})
