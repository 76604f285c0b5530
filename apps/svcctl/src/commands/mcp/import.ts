// svcctl mcp import: on the host of a client, without a unit.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import * as v from 'valibot'
import { SvcctlCommand } from '../../command.ts'
import { propose, Proposal } from '../../importing/propose.ts'
import { findServers } from '../../importing/sources.ts'
import { quoteWords } from '../../output/quote.ts'
import { type Column, table } from '../../output/table.ts'

const McpImported = v.strictObject({
  files: v.array(v.strictObject({ client: v.string(), path: v.string() })),
  servers: v.array(Proposal),
})
type McpImported = v.InferOutput<typeof McpImported>

const outcome = ({ becomes, package: packed, entry }: Proposal): string => {
  if (becomes === 'remote' && entry?.transport === 'http') return `remote ${entry.url}`
  if (becomes === 'program' && entry?.transport === 'stdio') return `program ${entry.command}`
  return packed ?? becomes
}

const columns: readonly Column<Proposal>[] = [
  { name: 'SERVER', value: ({ name }) => name },
  { name: 'CLIENT', value: ({ from }) => [...new Set(from.map(({ client }) => client))].join(', '), drop: 1 },
  { name: 'BECOMES', value: outcome, flexible: true },
  { name: 'NEXT', value: ({ next, notes }) => next ?? notes.join('; '), flexible: true, below: true },
]

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** Complete entries, each in a file that only its owner may read; a file that is there stays as it is. */
const writeEntries = async (directory: string, group: string, servers: readonly Proposal[]): Promise<Proposal[]> => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const written: Proposal[] = []
  for (const server of servers) {
    const { name, entry, next } = server
    const file = join(directory, `${name}.json`)
    if (entry === undefined) {
      written.push({ ...server, ...(next === undefined ? {} : { next: next.replace(/ > .*$/, ` > ${quoteWords([file])}`) }) })
      continue
    }
    await writeFile(file, `${JSON.stringify({ name, ...entry }, null, 2)}\n`, { mode: 0o600, flag: 'wx' }).catch((cause: unknown) => {
      if (!isTaken(cause)) throw cause
      throw new ServiceError('conflict', {
        detail: `expected no file ${file}, there is one`,
        hint: 'name another directory, or remove the file',
        cause,
      })
    })
    written.push({ ...server, file, next: `svcctl change submit mcp_register ${quoteWords(['--group', group, '--file', file])}` })
  }
  return written
}

export class McpImport extends SvcctlCommand<McpImported> {
  static override summary = 'Propose catalog entries for the MCP servers that a client on this host is configured with.'
  static override description =
    'Reads the files of Claude Desktop, Claude Code, Cursor and VS Code, or the named one. Secrets become ${NAME} and are neither copied nor printed. Nothing is changed: each server has a command that packs it or submits it as a change, which is held until somebody approves it.'

  static override result = McpImported
  static override examples = [
    'svcctl mcp import',
    {
      description: 'One file, with the entries written into a directory',
      command: 'svcctl mcp import mcp.json --group dev-agent --write entries',
    },
  ]

  static override args = {
    file: Args.string({ description: 'Configuration of a client. Default: those of all known clients, here and in your home directory.' }),
  }

  static override flags = {
    group: Flags.string({ summary: 'Agent group that the commands submit the changes for.', helpValue: 'ID', default: 'GROUP' }),
    write: Flags.string({ summary: 'Write each complete entry into a file of this new or existing directory.', helpValue: 'DIR' }),
  }

  async run(): Promise<McpImported> {
    const { args, flags } = await this.parse(McpImport)
    const { files, servers } = await findServers(args.file, this.environment)
    const proposed = propose(servers, flags.group)
    const shown = flags.write === undefined ? proposed : await writeEntries(flags.write, flags.group, proposed)
    this.print(table(columns, shown, process.stdout))
    for (const { name, notes, next } of shown) if (next !== undefined && notes.length > 0) this.say(`${name}: ${notes.join('; ')}`)
    const variables = [...new Set(shown.flatMap((server) => server.variables))].toSorted()
    if (variables.length > 0) this.say(`Set in the environment of the unit: ${variables.join(', ')}`)
    return { files: [...files], servers: shown }
  }
}
