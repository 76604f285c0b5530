// Which tests `pnpm test --unit` runs: those that need nothing which a machine may lack, told from their sources and fixtures.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { checks } from '../src/checks.ts'
import { readFlags } from '../src/flags.ts'
import { selectTests } from '../src/select-tests.ts'
import { findNeed } from '../src/unit-tests.ts'
import { plant } from './plant.ts'

const file = 'packages/kernel/test/a.test.ts'
const fixture = 'packages/kernel/test/fixtures/b.ts'

const needOf = (files: Readonly<Record<string, string>>): string | undefined => {
  using planted = plant()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(planted.root, path)), { recursive: true })
    writeFileSync(join(planted.root, path), text)
  }
  return findNeed(planted.root, file)
}

suite('a test', () => {
  test('that only acts and looks is a unit test', () => {
    assert.equal(needOf({ [file]: "import { test } from 'node:test'\ntest('skips no line', () => look({ skip: [1] }))\n" }), undefined)
  })

  for (const [what, text] of [
    ['skips where something lacks', "test('one', { skip: lacking }, () => {})"],
    ['skips by an option that has the name', "test('one', { skip }, () => {})"],
    ['skips itself', "test('one', (t) => t.skip('needs podman'))"],
    ['asks who runs it', 'const isRoot = process.getuid?.() === 0'],
    ['starts a program', "import { execa } from 'execa'"],
    ['starts a process', "import { spawn } from 'node:child_process'"],
    ['drives a browser', "import { chromium } from 'playwright-core'"],
    ['starts what was built', "const agent = join(root, 'dist/agent.mjs')"],
    ['starts a whole unit', "import { startUnit } from '@gatehouse/end-to-end'"],
  ] as const)
    test(`that ${what} is none`, () => assert.equal(needOf({ [file]: `${text}\n` }), file))

  test('needs what the fixtures need that it imports, by however many steps, also in a circle', () => {
    const step = 'packages/kernel/test/fixtures/step.ts'
    const files = { [file]: "import './fixtures/step.ts'\n", [step]: "import './b.ts'\nimport '../a.test.ts'\n" }
    assert.equal(needOf({ ...files, [fixture]: "import { execa } from 'execa'\n" }), fixture)
    assert.equal(needOf({ ...files, [fixture]: '// Nothing.\n' }), undefined)
  })

  test('needs nothing because of what a shipped source does', () => {
    assert.equal(
      needOf({ [file]: "import '../src/start.ts'\n", 'packages/kernel/src/start.ts': "import { execa } from 'execa'\n" }),
      undefined,
    )
  })
})

test('--unit runs unit tests of the default profile alone, without a build', async () => {
  using planted = plant()
  const write = (name: string, text: string): void => {
    mkdirSync(join(planted.root, dirname(name)), { recursive: true })
    writeFileSync(join(planted.root, name), text)
  }
  write('packages/kernel/test/a.test.ts', '// A unit test.\n')
  write('packages/kernel/test/b.test.ts', "// A test with a program.\nimport { execa } from 'execa'\n")
  write('packages/kernel/test/c.test.ts', '// A matrix.\n// Profile: rest. Repeats a test for each driver.\n')
  write('tooling/checks/test/d.test.ts', '// A test of the tooling.\n')
  const { chosen, selection } = readFlags(['--unit'], checks)
  assert.deepEqual(await selectTests(planted.root, selection), ['packages/kernel/test/a.test.ts'])
  assert.deepEqual(
    chosen.map(({ name }) => name),
    ['tests'],
  )
})
