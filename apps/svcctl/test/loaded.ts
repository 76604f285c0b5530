// Every command of svcctl by its id, loaded as oclif finds it; another name of a command counts as one.
import { join } from 'node:path'
import { Config, settings } from '@oclif/core'
import type { SvcctlCommand } from '../src/command.ts'

export type CommandClass = typeof SvcctlCommand<unknown>
export type Flag = NonNullable<CommandClass['flags']>[string]

export const loadConfig = (): Promise<Config> => {
  settings.enableAutoTranspile = false
  return Config.load({ root: join(import.meta.dirname, '..'), userPlugins: false, devPlugins: false })
}

/** Without those of plugins. */
export const loadCommands = async (): Promise<[string, CommandClass][]> => {
  const { commands } = await loadConfig()
  const own = commands.filter(({ pluginName }) => pluginName === 'svcctl').toSorted((a, b) => a.id.localeCompare(b.id))
  return Promise.all(own.map(async (command): Promise<[string, CommandClass]> => [command.id, (await command.load()) as CommandClass]))
}

/** Flags of a command and of every command that asks a unit. */
export const flagsOf = ({ flags, baseFlags }: CommandClass): [string, Flag][] => Object.entries({ ...baseFlags, ...flags })

/** Examples as somebody types them. */
export const examplesOf = ({ examples }: CommandClass): string[] =>
  examples.map((example) => (typeof example === 'string' ? example : example.command))
