// svcctl token, freeze and watch: secrets in files, stops, and ends by Ctrl-C.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { startUnit } from '../fake-unit.ts'
import { program, svcctl, svcctlAtTerminal } from '../svcctl.ts'

const folderOf = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-token-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a minted secret goes to a file of mode 0600 that was not there, and to nowhere else', async (t) => {
  await using unit = await startUnit()
  const file = join(folderOf(t), 'alice.token')
  const run = (...more: string[]) =>
    svcctl(['token', 'create', 'alice', '--role', 'approver', '--file', file, ...more], { env: { SERVICE_API_URL: unit.address } })
  const ended = await run('--json')
  assert.equal(ended.code, 0)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.match(readFileSync(file, 'utf8'), /^(s3cr3t){8}\n$/)
  assert.ok(!(ended.stdout + ended.stderr).includes('s3cr3t'))
  const asked = unit.asked.length
  assert.equal((await run()).code, 5)
  assert.equal(unit.asked.length, asked, 'none was minted in vain')
  assert.equal((await run('--force')).code, 0)
})

test('a secret that is there is written over by another one alone', async (t) => {
  const folder = folderOf(t)
  const file = join(folder, 'alice.token')
  writeFileSync(file, 'good\n')
  await using unit = await startUnit({ problems: { 'POST /v1/tokens': 'conflict' } })
  const run = (path: string) =>
    svcctl(['token', 'create', 'alice', '--role', 'approver', '--force', '--file', path], { env: { SERVICE_API_URL: unit.address } })
  assert.equal((await run(file)).code, 5)
  assert.equal(readFileSync(file, 'utf8'), 'good\n')
  assert.equal((await run(folder)).code, 2)
  assert.equal(unit.asked.length, 1, 'none was minted in vain')
  assert.deepEqual(readdirSync(folder), ['alice.token'])
})

test('no secret is printed at a terminal, and a refused token leaves no file', async (t) => {
  await using unit = await startUnit({ problems: { 'POST /v1/tokens': 'forbidden' } })
  const env = { SERVICE_API_URL: unit.address }
  const file = join(folderOf(t), 'alice.token')
  assert.equal((await svcctl(['token', 'create', 'alice', '--role', 'admin', '--file', file], { env })).code, 6)
  assert.equal(existsSync(file), false)
  const terminal = await svcctlAtTerminal(['token', 'create', 'alice', '--role', 'admin'], { env })
  assert.equal(terminal.code, 2)
  assert.match(terminal.stdout, /--file/)
})

test('a stop that is on no disk yet is told as one, beside the answer', async () => {
  await using unit = await startUnit({ headers: { 'POST /v1/freeze': ['Gatehouse-Kept', 'false'] } })
  const ended = await svcctl(['freeze', '--reason', 'the disk is dying'], { env: { SERVICE_API_URL: unit.address } })
  assert.equal(ended.code, 0)
  assert.match(ended.stderr, /^In force, but not saved: it is lost when the gateway ends\./)
})

test('watch tells each change as it comes and ends with 130 at Ctrl-C', async () => {
  await using unit = await startUnit()
  const child = spawn(process.execPath, [program, 'change', 'watch'], {
    env: { PATH: process.env['PATH'], SERVICE_API_URL: unit.address, HOME: '/nonexistent', XDG_CACHE_HOME: tmpdir() },
  })
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  let seen = ''
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString()
      if (seen.includes('\n')) resolve()
    })
  })
  child.kill('SIGINT')
  assert.equal(await code, 130)
  assert.match(seen, /\tsubmit\tchg_20260102030405\.000000001\tmcp_access\tdev-agent\t/)
})

test('something that cannot be taken back is asked about at a terminal, and left alone at anything but yes', async () => {
  await using unit = await startUnit()
  const env = { SERVICE_API_URL: unit.address }
  const at = (keys: string) => svcctlAtTerminal(['token', 'revoke', 'alice'], { env, typed: [['[y/N]', keys]] })
  assert.equal((await at('\r')).code, 5)
  assert.equal((await at('\u0003')).code, 130)
  assert.ok(!unit.asked.some(({ method }) => method === 'DELETE'))
  assert.equal((await at('y\r')).code, 0)
  assert.equal(unit.asked.filter(({ method }) => method === 'DELETE').length, 1)
  const purge = ['session', 'purge', 'ses_abcdefghijklm']
  const purged = (): boolean => unit.asked.some(({ path }) => path.endsWith('/purge'))
  assert.equal((await svcctlAtTerminal(purge, { env, typed: [['for good? [y/N]', '\r']] })).code, 5)
  assert.ok(!purged())
  assert.equal((await svcctlAtTerminal([...purge, '--yes'], { env })).code, 0)
  assert.ok(purged())
})
