// What a table of commands holds: each loaded alone, when it is asked for.
import type { SvcctlCommand } from '../command.ts'

export type CommandClass = (new (argv: readonly string[]) => SvcctlCommand<unknown>) &
  Pick<typeof SvcctlCommand, 'result' | 'summary' | 'description' | 'examples' | 'args' | 'flags' | 'baseFlags'>

/** By id: the words of the command, joined by a colon. */
export type CommandTable = Readonly<Record<string, () => Promise<CommandClass>>>
