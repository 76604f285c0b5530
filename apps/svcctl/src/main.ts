// Runs one command and turns whatever it throws into words and an exit code.
import { join } from 'node:path'
import { run } from '@oclif/core'
import { type Environment, SvcctlCommand } from './command.ts'
import { moveLeadingFlags } from './leading-flags.ts'
import { exitCodeOf, failureOf, isExit, render, renderJson } from './output/failure.ts'

const root = join(import.meta.dirname, '..')

const wantsJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json')
}

/** Gives the exit code. */
export const main = async (argv: readonly string[], environment: Environment): Promise<number> => {
  SvcctlCommand.environment = environment
  try {
    await run(moveLeadingFlags(argv), { root })
    return 0
  } catch (error) {
    if (isExit(error)) return error.oclif.exit ?? 0
    const failure = failureOf(error)
    process.stderr.write(wantsJson(argv) ? renderJson(failure) : render(failure, process.stderr))
    return exitCodeOf(failure)
  }
}
