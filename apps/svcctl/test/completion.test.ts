// What svcctl completion prints, evaluated in the shell that it is for; and the words that come from a unit.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { grant } from './contents.ts'
import { type FakeUnit, startUnit } from './fake-unit.ts'
import { program, svcctl } from './svcctl.ts'

suite('svcctl completion', () => {
  let unit: FakeUnit
  let bin: string
  const words = async (...typed: string[]): Promise<string[]> => {
    const { stdout, code } = await svcctl(['completion', 'words', '--', ...typed], { env: { SERVICE_API_URL: unit.address } })
    assert.equal(code, 0)
    return stdout.split('\n').filter((word) => word !== '')
  }

  before(async () => {
    const tools = [
      { name: 'echo', inputSchema: {} },
      { name: 'add', inputSchema: {} },
    ]
    const evidence = {
      status: 'observed',
      server: 'sample',
      entryDigest: 'ab'.repeat(32),
      at: '2026-01-02T03:04:05.000Z',
      age: 0,
      missing: [],
      tools,
    }
    const preview = { state: 'held', before: null, diff: [], summary: 's', evidence, risk: 'low' }
    unit = await startUnit({ answers: { 'POST /v1/changes': preview, 'GET /v1/grants': { items: [grant] } } })
    bin = mkdtempSync(join(tmpdir(), 'svcctl-completion-'))
    const script = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`
    writeFileSync(join(bin, 'svcctl'), script)
    chmodSync(join(bin, 'svcctl'), 0o755)
  })
  after(async () => {
    rmSync(bin, { recursive: true })
    await unit.close()
  })

  test('offers commands, the words behind them, and flags that are not there yet', async () => {
    assert.deepEqual(await words('ch'), ['change', 'chat'])
    assert.deepEqual(await words('change', 'ap'), ['approve'])
    assert.deepEqual(await words('change', 'approve', '--d'), ['--digest'])
    assert.ok((await words('registry', '')).includes('wirings'))
    assert.ok(!(await words('change', 'approve', '--by', 'x', '--')).includes('--by'))
    assert.deepEqual(await words('nonsense', ''), [])
  })

  test('offers ids, groups, servers and tools that the unit knows', async () => {
    assert.deepEqual(await words('change', 'approve', ''), ['chg_20260102030405.000000001'])
    assert.deepEqual(await words('session', 'logs', ''), ['ses_abcdefghijklm'])
    assert.deepEqual(await words('chat', ''), ['dev-agent'])
    assert.deepEqual(await words('change', 'pending', '--group', 'd'), ['dev-agent'])
    assert.deepEqual(await words('mcp', 'probe', ''), ['far', 'sample'])
    assert.deepEqual(await words('mcp', 'grant', 'sample', '--group', 'dev-agent', '--tool', ''), ['add', 'echo'])
    assert.deepEqual(await words('explain', 'dev-agent', 'sample__e'), ['sample__echo'])
    assert.deepEqual(await words('change', 'submit', 'per'), ['permissions', 'persona'])
  })

  test('offers nothing, and fails at nothing, where no unit answers', async () => {
    const { stdout, stderr, code } = await svcctl(['completion', 'words', '--', 'chat', ''], {
      env: { SERVICE_API_URL: 'http://127.0.0.1:9' },
    })
    assert.deepEqual({ stdout, stderr, code }, { stdout: '', stderr: '', code: 0 })
  })

  test('lets bash complete svcctl and gatehouse ctl', async () => {
    const { stdout: script } = await svcctl(['completion', 'bash'])
    const offered = async (typed: readonly string[]): Promise<string[]> => {
      const quoted = typed.map((word) => `'${word}'`).join(' ')
      const asked = `eval "$SCRIPT"; COMP_WORDS=(${quoted}); COMP_CWORD=${typed.length - 1}; _svcctl; printf '%s\\n' "\${COMPREPLY[@]}"`
      const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, SCRIPT: script, SERVICE_API_URL: unit.address }
      const { stdout } = await promisify(execFile)('bash', ['-c', asked], { env })
      return stdout.trim().split('\n')
    }
    assert.deepEqual(await offered(['svcctl', 'change', 'ap']), ['approve'])
    assert.deepEqual(await offered(['gatehouse', 'ctl', 'chat', 'd']), ['dev-agent'])
    assert.deepEqual(await offered(['gatehouse', '--d']), [''])
  })

  test('prints scripts for zsh and fish, and refuses another shell', async () => {
    assert.match((await svcctl(['completion', 'zsh'])).stdout, /^compdef _svcctl svcctl gatehouse$/m)
    assert.match((await svcctl(['completion', 'fish'])).stdout, /^complete -c svcctl/m)
    assert.equal((await svcctl(['completion', 'csh'])).code, 2)
  })
})
