// Every test of the tree in one run of node:test. Its own summary stays the last thing printed.
import { randomInt } from 'node:crypto'
import type { Check } from './check.ts'
import { runProgram } from './program.ts'
import { testFiles } from './sources.ts'

/** One seed for all files of a full run; each prints it. */
const newSeed = (): Record<string, string> => ({ GATEHOUSE_SEED: process.env['GATEHOUSE_SEED'] ?? String(randomInt(2 ** 31)) })

export const tests: Check = {
  name: 'tests',
  loud: true,
  run({ root, full }) {
    const files = testFiles(root)
    if (files.length === 0)
      return Promise.resolve({ ok: false, report: 'expected files test/**/*.test.ts in packages, apps or tooling, found none' })
    const args = ['--import', import.meta.resolve('tsx'), '--test', '--test-concurrency=2', '--test-reporter=spec', ...files]
    return runProgram(process.execPath, args, {
      cwd: root,
      live: true,
      env: { GATEHOUSE_PROFILE: full ? 'full' : 'fast', ...(full && newSeed()) },
    })
  },
}
