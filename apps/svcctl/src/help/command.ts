// The help page of one command.
import type { CommandClass } from '../dispatch/table.ts'
import { columns, section, wrap } from './text.ts'

type Flag = CommandClass['flags'][string]

export interface Example {
  readonly description: string | undefined
  readonly command: string
}

const program = 'svcctl'

/** Examples as somebody types them. */
export const examplesOf = ({ examples }: CommandClass): Example[] =>
  examples.map((example) => (typeof example === 'string' ? { description: undefined, command: example } : example))

/** Flags of a command and of every command that asks a unit; `--json` is added by the parser. */
export const flagsOf = ({ flags, baseFlags }: CommandClass): [string, Flag][] => Object.entries({ ...baseFlags, ...flags })

const valueOf = (flag: Flag): string =>
  flag.type === 'option' ? `=${flag.helpValue?.toString() ?? flag.options?.join('|') ?? 'VALUE'}` : ''

const usageOf = (id: string, command: CommandClass): string => {
  const args = Object.entries(command.args).map(([name, arg]) => (arg.required === true ? name.toUpperCase() : `[${name.toUpperCase()}]`))
  const needed = flagsOf(command).flatMap(([name, flag]) => (flag.required === true ? [`--${name}${valueOf(flag).replace('=', ' ')}`] : []))
  return ['$', program, ...id.split(':'), ...args, ...needed, '[flags]'].join(' ')
}

const meaningOf = (flag: Flag): string => {
  const parts = [
    flag.summary ?? flag.description ?? '',
    ...(flag.type === 'option' && flag.options !== undefined ? [`One of ${flag.options.join(', ')}.`] : []),
    ...(typeof flag.default === 'string' || typeof flag.default === 'number' ? [`Default ${flag.default}.`] : []),
    ...(flag.env === undefined ? [] : [`From ${flag.env}.`]),
    ...(flag.required === true ? ['Required.'] : []),
  ]
  return parts.join(' ')
}

const rowsOf = (flags: readonly (readonly [string, Flag])[]): [string, string][] =>
  flags.map(([name, flag]) => [`--${name}${valueOf(flag)}`, meaningOf(flag)])

export const commandHelp = (id: string, command: CommandClass, width: number): string => {
  const flags = flagsOf(command)
  const json: [string, string] = ['--json', 'Print the result as JSON.']
  const lines = [
    command.summary ?? '',
    ...section('USAGE', [usageOf(id, command)]),
    ...section(
      'ARGUMENTS',
      columns(
        Object.entries(command.args).map(([name, arg]) => [name.toUpperCase(), arg.description ?? '']),
        width,
      ),
    ),
    ...section('FLAGS', columns(rowsOf(flags.filter(([, flag]) => flag.helpGroup !== 'GLOBAL')), width)),
    ...section('GLOBAL FLAGS', columns([json, ...rowsOf(flags.filter(([, flag]) => flag.helpGroup === 'GLOBAL'))], width)),
    ...section('DESCRIPTION', wrap(command.description ?? '', width - 2)),
    ...section(
      'EXAMPLES',
      examplesOf(command).flatMap((example) => [
        ...(example.description === undefined ? [] : [example.description]),
        `$ ${example.command}`,
      ]),
    ),
  ]
  return `${lines.join('\n')}\n`
}
