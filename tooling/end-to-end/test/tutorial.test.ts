// The tutorial and the first page, followed word for word: on this checkout, and in the full profile on a real clone with a real first start.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { execa } from 'execa'
import { follow } from '../src/documents/follow.ts'
import { removeState } from '../src/remove-state.ts'
import { freshDirectory, root } from '../src/unit.ts'
import { registryReach } from './fixtures/registry-reach.ts'

const page = 'docs/tutorial.md'
const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'

const notRun = { 'sudo apt-get install': 'what it installs is here: the tests of this checkout want it, too' }

const scriptOf = async (name: string): Promise<string> => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  return scripts[name] ?? assert.fail(`no script ${name}`)
}

test('the tutorial leads from a checkout to an approved call, the journal of it, and its end', async () => {
  await follow(page, {
    notRun,
    places: {
      'git clone REPOSITORY gatehouse': `ln -s '${root}' gatehouse`,
      // What the script does, without a package manager that would look after a directory which other tests use.
      'npx pnpm@12 start': await scriptOf('start'),
    },
  })
})

const readmeNotRun = { '--state-dir /var/lib/gatehouse/state': 'a production unit on a host: the page about bare hosts is followed there' }

const testCommand = 'npx pnpm@12 test'
// A test of the suite cannot run the whole suite. CI runs the command as it stands, which is tested below.
const narrowed = '--only types'

test('the two commands of the README start a unit and run the checks', async () => {
  await follow('README.md', {
    directory: root,
    places: { 'npx pnpm@12 start': await scriptOf('start'), [testCommand]: `${await scriptOf('test')} ${narrowed}` },
    notRun: readmeNotRun,
  })
})

/** The part of `.ci/run` that runs tests, with an `npx` that writes down what it is given and fails for one command. */
const runCi = async (failing?: string): Promise<{ readonly commands: string[]; readonly failed: boolean }> => {
  const script = await readFile(join(root, '.ci/run'), 'utf8')
  const [options] = /^set .*$/m.exec(script) ?? assert.fail('no options are set')
  const room = await freshDirectory()
  const npx = `#!/bin/sh\necho "npx $*"\ntest "$*" != "--yes ${failing ?? ''}"\n`
  await writeFile(join(room, 'npx'), npx, { mode: 0o755 })
  const { stdout, failed } = await execa('bash', ['-c', `${options}\n${script.slice(script.indexOf("echo '--- Checks"))}`], {
    env: { PATH: `${room}:${process.env['PATH']}` },
    reject: false,
  })
  await removeState(room)
  return { commands: stdout.split('\n').filter((line) => line.startsWith('npx')), failed }
}

const commands = [testCommand, `${testCommand}:rest`]
const ciCommands = commands.map((command) => command.replace('npx', 'npx --yes'))

test('CI runs the test command of the README, with nothing added or left out, and then the rest', async () => {
  assert.deepEqual(await runCi(), { commands: ciCommands, failed: false })
})

test('CI fails where either of them fails', async () => {
  const [first = '', second = ''] = commands.map((command) => command.replace('npx ', ''))
  assert.deepEqual(await runCi(first), { commands: ciCommands.slice(0, 1), failed: true })
  assert.deepEqual(await runCi(second), { commands: ciCommands, failed: true })
})

if (isFull) {
  test('the two commands of the README do so in a fresh clone, too', { timeout: 900_000 }, async (t) => {
    const room = await freshDirectory()
    t.after(() => removeState(room))
    const clone = join(room, 'clone')
    await execa('git', ['clone', '--quiet', root, clone])
    await follow('README.md', {
      directory: clone,
      places: { [testCommand]: `${testCommand} ${narrowed}` },
      notRun: readmeNotRun,
      env: { ...registryReach, PATH: '/usr/local/bin:/usr/bin:/bin' },
    })
  })

  test('the tutorial leads there from a clone, too', { timeout: 900_000 }, async () => {
    await follow(page, { notRun, places: { REPOSITORY: root }, env: { ...registryReach, PATH: '/usr/local/bin:/usr/bin:/bin' } })
  })
}
