// Runs one command and turns whatever it throws into words and an exit code.
import { run, settings } from '@oclif/core'
import { type Environment, SvcctlCommand, wantsJson } from './command.ts'
import { moveLeadingFlags } from './leading-flags.ts'
import { exitCodeOf, failureOf, isExit, isInterrupted, render, renderJson } from './output/failure.ts'

/** Gives the exit code. `root` is the folder of `package.json`, or one below it. */
export const main = async (argv: readonly string[], environment: Environment, root: string): Promise<number> => {
  SvcctlCommand.environment = environment
  settings.enableAutoTranspile = false
  try {
    await run(moveLeadingFlags(argv), { root, userPlugins: false, devPlugins: false })
    // A command that has a result and yet is no success says so itself.
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (isInterrupted(error)) return 130
    if (isExit(error)) return error.oclif.exit ?? 0
    const failure = failureOf(error)
    process.stderr.write(wantsJson(argv) ? renderJson(failure) : render(failure, process.stderr))
    return exitCodeOf(failure)
  }
}
