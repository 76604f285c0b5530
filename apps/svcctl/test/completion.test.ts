// What svcctl completion prints, evaluated in the shells that it is for.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { svcctl } from './svcctl.ts'

suite('svcctl completion', () => {
  let cache: string
  const complete = (shell: string) => svcctl(['completion', shell], { env: { SVCCTL_CACHE_DIR: cache } })

  /** What bash offers behind these words. */
  const offered = (script: string, words: readonly string[]): string[] => {
    const quoted = words.map((word) => `'${word}'`).join(' ')
    const asked = `eval "$SCRIPT"; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _svcctl_autocomplete; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr, status } = spawnSync('bash', ['-c', asked], { encoding: 'utf8', env: { ...process.env, SCRIPT: script } })
    assert.equal(status, 0, stderr)
    return [...new Set(stdout.trimEnd().split('\n'))].toSorted()
  }

  before(() => {
    cache = mkdtempSync(join(tmpdir(), 'svcctl-completion-'))
  })
  after(() => rmSync(cache, { recursive: true }))

  test('lets bash complete commands, the words behind them and flags', async () => {
    const { stdout } = await complete('bash')
    assert.deepEqual(offered(stdout, ['svcctl', 'ch']), ['change', 'chat'])
    assert.deepEqual(offered(stdout, ['svcctl', 'change', 'ap']), ['approve'])
    assert.deepEqual(offered(stdout, ['svcctl', 'change', 'approve', '--d']), ['--digest'])
    assert.ok(offered(stdout, ['svcctl', 'registry', '']).includes('wirings'))
  })

  test('lets zsh complete, and refuses another shell', async () => {
    const { stdout } = await complete('zsh')
    assert.equal(stdout, `source '${join(cache, 'autocomplete/zsh_setup')}'\n`)
    assert.match(readFileSync(join(cache, 'autocomplete/functions/zsh/_svcctl'), 'utf8'), /^#compdef svcctl/)
    assert.equal((await complete('csh')).code, 2)
  })
})
