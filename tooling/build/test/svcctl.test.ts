// The bundle of svcctl, away from the checkout: oclif finds its commands and plugins in it.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { execa } from 'execa'
import { bundleSvcctl } from '../src/svcctl.ts'

suite('the bundle of svcctl', () => {
  let folder: string
  const run = (...args: string[]) =>
    execa(process.execPath, [join(folder, 'svcctl.mjs'), ...args], {
      reject: false,
      extendEnv: false,
      stdin: 'ignore',
      env: { HOME: folder, SVCCTL_CACHE_DIR: join(folder, 'cache') },
    })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svcctl-bundle-'))
    await bundleSvcctl({ clean: false, folder })
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('knows every command that has a source, with nothing of the machine that built it', async () => {
    const commands = join(import.meta.dirname, '../../../apps/svcctl/src/commands')
    const files = (await readdir(commands, { recursive: true })).filter((file) => file.endsWith('.ts'))
    const text = await readFile(join(folder, 'oclif.manifest.json'), 'utf8')
    const manifest = JSON.parse(text) as { commands: object }
    assert.deepEqual(
      Object.keys(manifest.commands).toSorted(),
      files.map((file) => file.replace('.ts', '').replaceAll('/', ':')).toSorted(),
    )
    assert.ok(!text.includes(folder) && !text.includes('"environment"'))
  })

  test('helps, by flag and by plugin', async () => {
    const [byFlag, byPlugin] = [await run('mcp', '--help'), await run('help', 'mcp')]
    assert.deepEqual([byFlag.exitCode, byFlag.stderr], [0, ''])
    assert.match(byFlag.stdout, /^  mcp add +Add a tool server/m)
    assert.equal(byPlugin.stdout, byFlag.stdout)
  })

  test('runs a command of the program and one of a plugin, and knows which it has not', async () => {
    const verified = await run('audit', 'verify', '--state-dir', join(folder, 'nowhere'))
    assert.equal(verified.exitCode, 4, verified.stderr)
    const completion = await run('completion', 'words', '--', 'change', 'appr')
    assert.deepEqual([completion.exitCode, completion.stdout, completion.stderr], [0, 'approve', ''])
    const filtered = await run('completion', 'bash', '--jq', '.shell')
    assert.deepEqual([filtered.exitCode, filtered.stdout, filtered.stderr], [0, 'bash', ''])
    const unknown = await run('change', 'aprove')
    assert.equal(unknown.exitCode, 2)
    assert.match(unknown.stderr, /Try: svcctl change approve/)
  })
})
