// The scripts of svcctl completion, in the shells that are here.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { svcctl } from './svcctl.ts'

/** What bash offers behind these words. */
const offered = (script: string, words: readonly string[]): string[] => {
  const quoted = words.map((word) => `'${word}'`).join(' ')
  const asked = `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _svcctl; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['-c', asked], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout.trimEnd().split('\n')
}

test('bash completes commands, the words behind them and flags, also behind arguments', async () => {
  const { stdout } = await svcctl(['completion', 'bash'])
  assert.deepEqual(offered(stdout, ['svcctl', 'ch']), ['change', 'chat'])
  assert.deepEqual(offered(stdout, ['svcctl', 'change', 'ap']), ['approve'])
  assert.deepEqual(offered(stdout, ['svcctl', 'change', 'approve', 'chg_1', '--d']), ['--digest'])
  assert.ok(offered(stdout, ['svcctl', 'registry', '']).includes('wirings'))
})

test('zsh and fish get scripts of their own, and another shell is refused', async () => {
  assert.match((await svcctl(['completion', 'zsh'])).stdout, /^#compdef svcctl/)
  assert.match((await svcctl(['completion', 'fish'])).stdout, /complete -c svcctl/)
  assert.equal((await svcctl(['completion', 'csh'])).code, 2)
})
