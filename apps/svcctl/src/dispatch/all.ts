// Every command by its name, with the one that looks at all the others.
import { commands } from '../commands/index.ts'
import type { CommandTable } from './table.ts'

export const allCommands: CommandTable = { ...commands, completion: async () => (await import('../commands/completion.ts')).Completion }
