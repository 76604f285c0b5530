// Runs one command and turns every error into a message and an exit code.
import { Config, run, settings } from '@oclif/core'
import { type Environment, SvcctlCommand, wantsJson } from './command.ts'
import { exitCodeOf, isExit, isInterrupted, render, renderJson, toFailure } from './output/failure.ts'

/** Global flags may stand before the command: `svcctl --addr URL status`. The parser expects them after it. */
const withValue = new Set(['--addr', '--token-file', '--jq'])
const alone = new Set(['--insecure-http', '--json'])

const lengthAt = (argv: readonly string[], at: number): number => {
  const [name = '', value] = (argv[at] ?? '').split('=', 2)
  if (alone.has(argv[at] ?? '')) return 1
  if (!withValue.has(name)) return 0
  return value === undefined ? 2 : 1
}

/** Moves them to the end, or before `--` where there is one. Without a command nothing is moved. */
export const moveLeadingFlags = (argv: readonly string[]): string[] => {
  let count = 0
  for (let length = lengthAt(argv, 0); length > 0; length = lengthAt(argv, count)) count += length
  const rest = argv.slice(count)
  if (rest.length === 0) return [...argv]
  const end = rest.indexOf('--')
  return rest.toSpliced(end === -1 ? rest.length : end, 0, ...argv.slice(0, count))
}

/** `change approve [ID] --by APPROVER [flags]`: oclif's own usage line lists every flag, and those of `change submit` fill a screen. */
const usageOf = ({ args, flags }: Config['commands'][number]): string => {
  const words = Object.entries(args).map(([name, { required }]) => (required === true ? name.toUpperCase() : `[${name.toUpperCase()}]`))
  const named = Object.entries(flags).flatMap(([name, flag]) =>
    flag.required === true
      ? [`--${name}${flag.type === 'option' ? ` ${[flag.helpValue ?? name.toUpperCase()].flat().join(' ')}` : ''}`]
      : [],
  )
  return ['<%= command.id %>', ...words, ...named, '[flags]'].join(' ')
}

/** Gives the exit code. `root` is the folder of `package.json`, or one below it. */
export const main = async (argv: readonly string[], environment: Environment, root: string): Promise<number> => {
  SvcctlCommand.environment = environment
  settings.enableAutoTranspile = false
  try {
    const config = await Config.load({ root, userPlugins: false, devPlugins: false })
    for (const command of config.commands) command.usage = usageOf(command)
    await run(moveLeadingFlags(argv), config)
    // A command with a result that is no success has set its exit code.
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (isInterrupted(error)) return 130
    if (isExit(error)) return error.oclif.exit ?? 0
    const failure = toFailure(error)
    process.stderr.write(wantsJson(argv) ? renderJson(failure) : render(failure, process.stderr, argv))
    return exitCodeOf(failure)
  }
}
