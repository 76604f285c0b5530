// The words that may stand next on a command line: commands, flags, and the ids and names that a unit knows.
import type { Client } from '@gatehouse/client'
import { channels, Evidence, kindNames, toolSeparator } from '@gatehouse/contracts'
import * as v from 'valibot'

interface Option {
  readonly type: string
  readonly options?: readonly string[]
  readonly hidden?: boolean
}

interface CommandShape {
  readonly id: string
  readonly hidden?: boolean
  readonly aliases: readonly string[]
  readonly flags: Readonly<Record<string, Option>>
  readonly args: Readonly<Record<string, { readonly options?: readonly string[] }>>
}

export interface CompletionContext {
  readonly commands: readonly CommandShape[]
  /** Undefined where no unit can be asked. */
  readonly connect: (address: string | undefined) => Promise<Client | undefined>
}

const spaced = (id: string): string[] => id.split(':')

/** The command that the words begin with, and the words behind it. */
const findCommand = (words: readonly string[], commands: readonly CommandShape[]) => {
  for (let length = words.length; length > 0; length -= 1) {
    const id = words.slice(0, length).join(':')
    const command = commands.find((each) => each.id === id)
    if (command !== undefined) return { command, rest: words.slice(length) }
  }
  return undefined
}

const nextWords = (words: readonly string[], commands: readonly CommandShape[]): string[] =>
  commands
    .filter(({ hidden }) => hidden !== true)
    .map(({ id }) => spaced(id))
    .filter((id) => id.length > words.length && words.every((word, index) => id[index] === word))
    .map((id) => id[words.length] ?? '')

const flagOf = (word: string | undefined): string | undefined => (word?.startsWith('--') === true ? word.slice(2) : undefined)

const takesValue = (command: CommandShape, word: string | undefined): boolean => {
  const flag = flagOf(word)
  return flag !== undefined && command.flags[flag]?.type === 'option'
}

const valueOf = (words: readonly string[], flag: string): string | undefined => {
  const at = words.indexOf(`--${flag}`)
  return at === -1 ? words.find((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3) : words[at + 1]
}

const positionals = (command: CommandShape, words: readonly string[]): string[] =>
  words.filter((word, index) => !word.startsWith('-') && !takesValue(command, words[index - 1]))

type Source = (client: Client, words: readonly string[], command: CommandShape) => Promise<string[]>

const groups: Source = async (client) => (await client.groups.list({ limit: 200 })).items.map(({ id }) => id)
const servers: Source = async (client) => (await client.servers.list()).items.map(({ name }) => name)

/** Tools that a server was seen to declare. A preview changes nothing. */
const declared = async (client: Client, group: string, server: string): Promise<string[]> => {
  const preview = await client.changes.preview({ kind: 'mcp_access', agentGroupID: group, after: { server, tools: [] } })
  const read = v.safeParse(Evidence, preview.evidence)
  if (!read.success) return []
  if (read.output.status === 'observed') return read.output.tools.map(({ name }) => name)
  return read.output.status === 'too-large' ? [...read.output.names] : []
}

const tools: Source = async (client, words, command) => {
  const server = valueOf(words, 'server') ?? positionals(command, words)[0]
  const group = valueOf(words, 'group') ?? (await groups(client, words, command))[0]
  return server === undefined || group === undefined ? [] : declared(client, group, server)
}

const exposedTools: Source = async (client, words, command) => {
  const [group] = positionals(command, words)
  if (group === undefined) return []
  const names = await servers(client, words, command)
  const all = await Promise.all(
    names.map(async (name) => (await declared(client, group, name)).map((tool) => `${name}${toolSeparator}${tool}`)),
  )
  return all.flat()
}

const sources: Readonly<Record<string, Source>> = {
  change: async (client) => (await client.changes.pending({ limit: 200 })).items.map(({ id }) => id),
  session: async (client) => (await client.sessions.list({ limit: 200 })).items.map(({ id }) => id),
  token: async (client) => (await client.tokens.list({ limit: 200 })).items.map(({ name }) => name),
  group: groups,
  server: servers,
  mcp: servers,
  tool: tools,
}

/** What an argument or a flag names: by its own name, or by the topic of its command for `ID` and `NAME`. */
const sourceOf = (command: CommandShape, name: string): Source | undefined => {
  const [topic = ''] = spaced(command.id)
  if (topic === 'explain' && name === 'tool') return exposedTools
  const fixed: Readonly<Record<string, readonly string[]>> = { kind: kindNames, channel: channels }
  if (Object.hasOwn(fixed, name)) return () => Promise.resolve([...(fixed[name] ?? [])])
  return name === 'id' || name === 'name' ? sources[topic === 'registry' ? 'mcp' : topic] : sources[name]
}

const valuesFor = async (
  { command, name, options }: { readonly command: CommandShape; readonly name: string; readonly options: readonly string[] | undefined },
  words: readonly string[],
  { connect }: CompletionContext,
): Promise<string[]> => {
  if (options !== undefined) return [...options]
  const source = sourceOf(command, name)
  if (source === undefined || (name === 'id' && command.id === 'group:create') || command.id === 'mcp:add') return []
  const client = await connect(valueOf(words, 'addr'))
  return client === undefined ? [] : await source(client, words, command)
}

/** Sorted, each once. `words`: what was typed behind the program; the last one is not finished. */
export const completeWords = async (words: readonly string[], context: CompletionContext): Promise<string[]> => {
  const last = words.at(-1) ?? ''
  const typed = words.slice(0, -1)
  const found = findCommand(typed, context.commands)
  const deeper = last.startsWith('-') ? [] : nextWords(typed, context.commands)
  const own = found === undefined ? [] : await ownWords({ ...found, last }, context)
  return [...new Set([...deeper, ...own])].filter((word) => word.startsWith(last)).toSorted()
}

interface Typed {
  readonly command: CommandShape
  /** Finished words behind the command. */
  readonly rest: readonly string[]
  readonly last: string
}

const ownWords = async ({ command, rest, last }: Typed, context: CompletionContext): Promise<string[]> => {
  const before = rest.at(-1)
  if (takesValue(command, before)) {
    const name = flagOf(before) ?? ''
    return await valuesFor({ command, name, options: command.flags[name]?.options }, rest, context)
  }
  if (last.startsWith('-'))
    return Object.entries(command.flags)
      .filter(([name, { hidden }]) => hidden !== true && !rest.includes(`--${name}`))
      .map(([name]) => `--${name}`)
  const next = Object.entries(command.args)[positionals(command, rest).length]
  return next === undefined ? [] : await valuesFor({ command, name: next[0], options: next[1].options }, rest, context)
}
