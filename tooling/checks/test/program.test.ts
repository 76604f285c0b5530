// `pnpm test` from outside: order, progress, exit codes, and whose lines come last.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { execa } from 'execa'
import { checks } from '../src/checks.ts'
import type { Check } from '../src/check.ts'
import { readFlags } from '../src/flags.ts'
import { runChecks } from '../src/run.ts'
import { plant } from './plant.ts'

const program = join(import.meta.dirname, '../src/main.ts')
const context = { root: '/nowhere', full: false }
const named = (name: string, ok: boolean): Check => ({ name, run: () => Promise.resolve({ ok, report: ok ? '' : `${name} found this` }) })

test('runs the checks in order, from the cheap to the whole', () => {
  assert.deepEqual(
    checks.map((check) => check.name),
    ['types', 'lint', 'format', 'boundaries', 'sizes', 'profiles', 'words', 'unused', 'build', 'tests'],
  )
})

test('stops at the first failure and names it', async () => {
  const written: string[] = []
  const failed = await runChecks([named('one', true), named('two', false), named('three', true)], context, (text) => written.push(text))
  assert.equal(failed, 'two')
  assert.match(written.join(''), /✓ one +\d+\.\d s\ntwo found this\n✗ two failed after \d+\.\d s\n$/)
})

test('runs checks beside each other, says how they went in their order, and starts none after a failure', async () => {
  const written: string[] = []
  const second = Promise.withResolvers<void>()
  // The first ends only after the second has ended.
  const first: Check = { name: 'first', run: async () => (await second.promise, { ok: true, report: '' }) }
  const failing: Check = { name: 'second', run: async () => (second.resolve(), { ok: false, report: 'found' }) }
  let started = false
  const third: Check = { name: 'third', run: async () => ((started = true), { ok: true, report: '' }) }
  assert.equal(await runChecks([first, failing, third], context, (text) => written.push(text)), 'second')
  assert.match(written.join(''), /^✓ first .*\nfound\n✗ second failed/)
  assert.equal(started, false)
})

test('a check that runs alone waits for all before it', async () => {
  const order: string[] = []
  const noting = (name: string, alone: boolean, turns: number): Check => ({
    name,
    alone,
    async run() {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
      order.push(name)
      return { ok: true, report: '' }
    },
  })
  await runChecks(
    [noting('slow', false, 50), noting('quick', false, 1), noting('build', true, 5), noting('tests', true, 1)],
    context,
    () => {},
  )
  assert.deepEqual(order, ['quick', 'slow', 'build', 'tests'])
})

test('a check that throws is a check that failed', async () => {
  const written: string[] = []
  const broken: Check = { name: 'broken', run: () => Promise.reject(new TypeError('planted')) }
  assert.equal(await runChecks([broken], context, (text) => written.push(text)), 'broken')
  assert.match(written.join(''), /TypeError: planted/)
})

test('takes a part by name and refuses a name that is none', () => {
  assert.deepEqual(
    readFlags(['--only', 'sizes,types', '--full'], checks).chosen.map((check) => check.name),
    ['types', 'sizes'],
  )
  assert.throws(() => readFlags(['--only', 'size'], checks), /unknown check "size"; there are types, lint/)
})

test('ends with 2 for an argument that it does not know, and runs nothing', async () => {
  const result = await execa(process.execPath, [program, '--onyl', 'sizes'], { reject: false })
  assert.equal(result.exitCode, 2)
  assert.equal(result.stdout, '')
})

const nodeTest = { NODE_TEST_CONTEXT: undefined, FORCE_COLOR: undefined, NO_COLOR: '1' }
const runner = `
  import { tests } from ${JSON.stringify(join(import.meta.dirname, '../src/tests.ts'))}
  import { runChecks } from ${JSON.stringify(join(import.meta.dirname, '../src/run.ts'))}
  process.exitCode = (await runChecks([tests], { root: process.argv[1], full: true }, (text) => process.stdout.write(text))) === undefined ? 0 : 1
`

const failing = `import assert from 'node:assert/strict'
import { test } from 'node:test'
test('planted failure', () => assert.equal(1, 2))
`

test('a failing test fails the tests, and the summary of node:test is whole', async () => {
  using planted = plant()
  mkdirSync(join(planted.root, 'packages/kernel/test'))
  writeFileSync(join(planted.root, 'packages/kernel/test/planted.test.ts'), failing)
  const args = ['--input-type=module-typescript', '--eval', runner, planted.root]
  const result = await execa(process.execPath, args, { reject: false, env: nodeTest })
  assert.equal(result.exitCode, 1)
  assert.match(result.stdout, /tests 1\n.*pass 0\n.*fail 1\n/s)
  assert.match(result.stdout, /planted failure/)
  assert.doesNotMatch(result.stdout, /failed after/)
})

test('a tree without tests fails the tests', async () => {
  using planted = plant()
  const args = ['--input-type=module-typescript', '--eval', runner, planted.root]
  const result = await execa(process.execPath, args, { reject: false, env: nodeTest })
  assert.equal(result.exitCode, 1)
  assert.match(result.stdout, /found none/)
})
