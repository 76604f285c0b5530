// What a run of tests prints last: node:test's summary, then what was skipped and why.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { execa } from 'execa'
import { plant } from './plant.ts'

const reporter = new URL('../src/reporter.ts', import.meta.url).href

const run = async (text: string): Promise<string> => {
  using planted = plant()
  const file = join(planted.root, 'planted.test.ts')
  writeFileSync(file, `import { suite, test } from 'node:test'\n${text}`)
  const env = { NODE_TEST_CONTEXT: undefined, FORCE_COLOR: undefined, NO_COLOR: '1' }
  return (await execa(process.execPath, ['--test', `--test-reporter=${reporter}`, file], { reject: false, env })).stdout
}

test('names each reason for which tests were skipped, how many, and the first of them', async () => {
  const printed = await run(`
test('one', { skip: 'needs podman, install with apt-get install podman' }, () => {})
test('two', { skip: 'needs podman, install with apt-get install podman' }, () => {})
test('three', { skip: true }, () => {})
suite('four', { skip: 'needs root' }, () => {})
test('five', () => {})
test('six', { skip: false }, () => {})
`)
  assert.match(printed, /pass 2\n/)
  const [, last] = printed.split('\nSkipped:\n')
  assert.deepEqual(last?.split('\n'), [
    '  needs podman, install with apt-get install podman: "one" and 1 more',
    '  no reason is given: "three"',
    '  needs root: "four"',
  ])
})

test('says that nothing was skipped', async () => {
  assert.match(await run("test('one', () => {})\n"), /pass 1\n.*skipped 0\n.*\nNothing was skipped\.$/s)
})
