// Every command of svcctl, loaded as oclif finds it.
import { join } from 'node:path'
import { type Command, Config, settings } from '@oclif/core'

export type Flag = Command.Class['flags'][string]

export interface Named {
  readonly id: string
  readonly command: Command.Class
}

/** Each once, under its first name. */
export const loadCommands = async (): Promise<Named[]> => {
  settings.enableAutoTranspile = false
  const root = join(import.meta.dirname, '../../../apps/svcctl')
  const { commands } = await Config.load({ root, userPlugins: false, devPlugins: false })
  const own = commands.filter(({ pluginName, id, aliases }) => pluginName === 'svcctl' && !aliases.includes(id))
  const named = await Promise.all(own.map(async (each) => ({ id: each.id.replaceAll(':', ' '), command: await each.load() })))
  return named.toSorted((one, other) => one.id.localeCompare(other.id))
}

/** With those that it has from the commands that it is made of. */
export const flagsOf = ({ baseFlags, flags }: Command.Class): [string, Flag][] =>
  Object.entries({ ...baseFlags, ...flags }).toSorted(([a], [b]) => a.localeCompare(b))
