// The selected tests in one run of node:test. Its summary, and what was skipped, is the last thing printed.
import { randomInt } from 'node:crypto'
import type { Check } from './check.ts'
import { runProgram } from './program.ts'
import { selectTests } from './select-tests.ts'

/** One seed for all files of a full run; each prints it. */
const newSeed = (): Record<string, string> => ({ GATEHOUSE_SEED: process.env['GATEHOUSE_SEED'] ?? String(randomInt(2 ** 31)) })

const describeNone = (patterns: readonly string[]): string =>
  patterns.length === 0
    ? 'expected files test/**/*.test.ts in packages, apps or tooling, found none'
    : `no test file has ${patterns.join(' or ')} in its path, such as packages/gateway/test/changes/diff.test.ts`

export const tests: Check = {
  name: 'tests',
  alone: true,
  loud: true,
  async run({ root, full, selection = { patterns: [], changed: false } }) {
    const files = await selectTests(root, selection)
    if (files.length === 0 && selection.changed) return { ok: true, report: '' }
    if (files.length === 0) return { ok: false, report: describeNone(selection.patterns) }
    const args = [
      '--import',
      import.meta.resolve('./compile-cache.ts'),
      '--test',
      '--test-concurrency=2',
      `--test-reporter=${import.meta.resolve('./reporter.ts')}`,
      ...files,
    ]
    return runProgram(process.execPath, args, {
      cwd: root,
      live: true,
      env: { GATEHOUSE_PROFILE: full ? 'full' : 'fast', ...(full && newSeed()) },
    })
  },
}
