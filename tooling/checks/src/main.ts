// `pnpm test`: what must hold before a change is done. `--rest` runs the other tests that CI runs, `--full` both with large numbers,
// `--unit` what needs neither root nor an engine, `--only a,b` some checks, `PATTERN…` the tests with one of these in their path, `--changed` those that a change can affect.
import { join } from 'node:path'
import { checks } from './checks.ts'
import { readFlags } from './flags.ts'
import { runChecks } from './run.ts'

const root = join(import.meta.dirname, '../../..')

const main = async (): Promise<number> => {
  try {
    const { full, chosen, selection } = readFlags(process.argv.slice(2), checks)
    const failed = await runChecks(chosen, { root, full, selection }, (text) => process.stdout.write(text))
    return failed === undefined ? 0 : 1
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 2
  }
}

process.exitCode = await main()
