// Every command that the scorecard names is there: the test file, or the benchmark.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../..')

/** What of a page's rows cannot be run. */
const faultsOf = (page: string, benchmarks: string): string[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| what') && !line.startsWith('| ---'))
    .flatMap((line) => {
      const cells = line.split(' | ')
      const command = /`([^`]+)` \|$/.exec(line)?.[1]
      if (cells.length !== 4 || command === undefined) return [`${cells[0]}: expected four cells, the last of them a command`]
      const file = /^full (\S+\.test\.ts)$/.exec(command)?.[1]
      if (file !== undefined) return existsSync(join(root, file)) ? [] : [`${file}: there is no such test`]
      const bench = /^npx pnpm@12 bench ([a-z]+)( --[a-z]+( \d+)?)?$/.exec(command)?.[1]
      if (bench === undefined) return [`${command}: expected a test or a benchmark`]
      return benchmarks.includes(`  ${bench}: () =>`) ? [] : [`${bench}: there is no such benchmark`]
    })

const benchmarks = readFileSync(join(root, 'tooling/bench/src/main.ts'), 'utf8')

test('names no test and no benchmark that there is not', () => {
  const page = readFileSync(join(root, 'docs/explanation/scorecard.md'), 'utf8')
  assert.deepEqual(faultsOf(page, benchmarks), [])
  assert.ok(page.split('\n').filter((line) => line.startsWith('| ')).length > 30)
})

test('is caught with a row that nobody can run', () => {
  const rows = [
    '| a | b | c | `full nowhere.test.ts` |',
    '| a | b | c | `npx pnpm@12 bench nothing` |',
    '| a | b | c | `rm -rf x` |',
    '| a | b | c |',
  ]
  assert.equal(faultsOf(rows.join('\n'), benchmarks).length, rows.length)
})
