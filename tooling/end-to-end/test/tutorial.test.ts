// The tutorial and the first page, followed word for word: on this checkout, and in the full profile on a real clone with a real first start.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { follow } from '../src/documents/follow.ts'
import { root } from '../src/unit.ts'
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

test('the two minutes of the README do what they say', async () => {
  await follow('README.md', {
    directory: root,
    places: { 'npx pnpm@12 start': await scriptOf('start') },
    notRun: { '--state-dir /var/lib/gatehouse/state': 'a production unit on a host: the page about bare hosts is followed there' },
  })
})

if (isFull)
  test('the tutorial leads there from a clone, too', { timeout: 900_000 }, async () => {
    await follow(page, { notRun, places: { REPOSITORY: root }, env: { ...registryReach, PATH: '/usr/local/bin:/usr/bin:/bin' } })
  })
