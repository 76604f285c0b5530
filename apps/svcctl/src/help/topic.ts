// The help pages of the whole and of a topic: what there is, one line each.
import type { CommandTable } from '../dispatch/table.ts'
import { topics } from '../dispatch/topics.ts'
import { columns, section } from './text.ts'

/** Ids one word below, topics apart from commands. */
const below = (ids: readonly string[], id: string): { topics: string[]; commands: string[] } => {
  const prefix = id === '' ? '' : `${id}:`
  const inside = ids.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length))
  const names = (deeper: boolean): string[] =>
    [...new Set(inside.filter((each) => each.includes(':') === deeper).map((each) => each.split(':', 1)[0] ?? ''))]
      .toSorted()
      .map((name) => prefix + name)
  return { topics: names(true), commands: names(false) }
}

const words = (id: string): string => id.replaceAll(':', ' ')

export const topicHelp = async (table: CommandTable, id: string, width: number): Promise<string> => {
  const found = below(Object.keys(table), id)
  const commands = await Promise.all(
    found.commands.map(async (each): Promise<[string, string]> => [words(each), (await table[each]?.())?.summary ?? '']),
  )
  const lines = [
    id === '' ? 'Decides over changes to agents, talks to them and looks after their tool servers.' : (topics[id] ?? ''),
    ...section('USAGE', [`$ svcctl ${id === '' ? '' : `${words(id)} `}COMMAND`]),
    ...section(
      'TOPICS',
      columns(
        found.topics.map((each): [string, string] => [words(each), topics[each] ?? '']),
        width,
      ),
    ),
    ...section('COMMANDS', columns(commands, width)),
    '',
    `svcctl help ${id === '' ? '' : `${words(id)} `}COMMAND says more.`,
  ]
  return `${lines.join('\n')}\n`
}
