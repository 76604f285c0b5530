// Every command of svcctl, its arguments and flags, as oclif knows them.
import { type Flag, flagsOf, loadCommands, type Named } from '../commands.ts'
import { code, page, table } from '../page.ts'

const typed = ([name, flag]: readonly [string, Flag]): string => {
  if (flag.type === 'boolean') return code(`--${name}`)
  const value = Array.isArray(flag.helpValue) ? flag.helpValue.join(' ') : (flag.helpValue ?? 'VALUE')
  return code(`--${name} ${value}${flag.multiple === true ? ' …' : ''}`)
}

const remarksOn = (flag: Flag): string =>
  [
    flag.required === true ? 'required' : '',
    flag.type === 'option' && flag.options !== undefined ? `one of ${flag.options.map(code).join(', ')}` : '',
    flag.env === undefined ? '' : code(flag.env),
    typeof flag.default === 'string' ? `default ${code(flag.default)}` : '',
  ]
    .filter((part) => part !== '')
    .join('; ')

const flagTable = (flags: readonly (readonly [string, Flag])[]): string =>
  table(
    ['flag', 'meaning', ''],
    flags.map(([name, flag]) => [typed([name, flag]), flag.summary ?? '', remarksOn(flag)]),
  )

const usageOf = ({ id, command }: Named): string => {
  const args = Object.entries({ ...command.args }).map(([name, { required }]) =>
    required === true ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  )
  const must = Object.entries({ ...command.flags }).filter(([, flag]) => flag.required === true)
  return ['svcctl', id, ...args, ...must.map((flag) => typed(flag).replaceAll('`', '')), '[flags]'].join(' ')
}

const sectionOf = ({ id, command }: Named, shared: ReadonlySet<string>): string => {
  const own = flagsOf(command).filter(([name]) => !shared.has(name))
  const args = Object.entries({ ...command.args }).map(([name, { description = '' }]) => [code(name.toUpperCase()), description])
  return [
    `## svcctl ${id}`,
    command.summary ?? '',
    `\`\`\`text\n${usageOf({ id, command })}\n\`\`\``,
    command.description ?? '',
    ...(args.length === 0 ? [] : [table(['argument', 'meaning'], args)]),
    ...(own.length === 0 ? [] : [flagTable(own)]),
    ...(command.aliases.length === 0
      ? []
      : [`Also: ${command.aliases.map((name) => code(`svcctl ${name.replaceAll(':', ' ')}`)).join(', ')}.`]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Those that every command has which asks a unit. */
const sharedOf = (commands: readonly Named[]): [string, Flag][] => {
  const asking = commands.map(({ command }) => flagsOf(command)).filter((flags) => flags.some(([name]) => name === 'addr'))
  return (asking[0] ?? []).filter(([name]) => asking.every((flags) => flags.some(([other]) => other === name)))
}

export const cli = async (): Promise<string> => {
  const commands = await loadCommands()
  const shared = sharedOf(commands)
  const names = new Set(shared.map(([name]) => name))
  return page(
    'svcctl',
    'Every command. `gatehouse` itself: [configuration](configuration.md). How the command line behaves, and its exit codes: [svcctl](svcctl.md). Every command takes `--json`, and those that ask a unit take:',
    flagTable(shared),
    ...commands.map((each) => sectionOf(each, names)),
  )
}
