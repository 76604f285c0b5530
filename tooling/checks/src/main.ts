// `pnpm test`: everything that must hold before a change is done. `--full` runs the long profile, `--only a,b` a part.
import { join } from 'node:path'
import { checks } from './checks.ts'
import { readFlags } from './flags.ts'
import { runChecks } from './run.ts'

const root = join(import.meta.dirname, '../../..')

const main = async (): Promise<number> => {
  try {
    const { full, chosen } = readFlags(process.argv.slice(2), checks)
    const failed = await runChecks(chosen, { root, full }, (text) => process.stdout.write(text))
    return failed === undefined ? 0 : 1
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 2
  }
}

process.exitCode = await main()
