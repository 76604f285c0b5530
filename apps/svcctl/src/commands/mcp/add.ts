// svcctl mcp add
import type { Client } from '@gatehouse/client'
import { isServiceError, ServiceError, type ServerView } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { type EntryFlags, toEntry } from '../../catalog/to-entry.ts'
import { UnitCommand } from '../../unit-command.ts'

const repeated = { multiple: true, multipleNonGreedy: true } as const

export class McpAdd extends UnitCommand<ServerView> {
  static override summary = 'Add a tool server to the catalog.'
  static override description =
    'This grants no agent anything. Write secrets as ${NAME}: the unit reads the variable of its own environment when it connects, and the catalog keeps the name alone.'

  static override examples = [
    { description: 'A program on the host', command: '<%= config.bin %> mcp add sample --command node --arg /opt/sample/main.mjs' },
    {
      description: 'A server behind TLS',
      command: "<%= config.bin %> mcp add search --url https://mcp.example.org/mcp --header 'Authorization=Bearer ${SEARCH_TOKEN}'",
    },
  ]

  static override args = { name: Args.string({ description: 'Label of the server.', required: true }) }

  static override flags = {
    command: Flags.string({ summary: 'Program of a local server.', helpValue: 'PROGRAM', exclusive: ['url'] }),
    arg: Flags.string({
      summary: 'Argument of the program; may be given several times, --arg=-x for one that begins with a dash.',
      helpValue: 'TEXT',
      ...repeated,
    }),
    env: Flags.string({ summary: 'Variable of the program; may be given several times.', helpValue: 'NAME=VALUE', ...repeated }),
    image: Flags.string({ summary: 'Container image that the program runs in.', helpValue: 'REF' }),
    volume: Flags.string({
      summary: 'Path of the host that the program is lent in its container; may be given several times.',
      helpValue: 'SOURCE:TARGET[:ro|rw]',
      ...repeated,
    }),
    data: Flags.boolean({ summary: 'Give the program a private directory at /data that outlives its container.' }),
    url: Flags.string({ summary: 'Address of a remote server; https, or http on this machine.', helpValue: 'URL' }),
    header: Flags.string({ summary: 'Header of each request; may be given several times.', helpValue: 'NAME=VALUE', ...repeated }),
    'own-per-session': Flags.boolean({ summary: 'Give each session a connection, and a local server a process, of its own.' }),
    replace: Flags.boolean({ summary: 'Replace a server of this name.' }),
  }

  async run(): Promise<ServerView> {
    const { args, flags } = await this.parse(McpAdd)
    const entry = toEntry(flags satisfies EntryFlags)
    const client = await this.connect(flags)
    if (!flags.replace) await this.refuseUsedName(client, args.name)
    const view = await client.servers.put(args.name, entry)
    this.remark(`Added ${view.name}. Try: svcctl mcp probe ${view.name}`)
    return view
  }

  private async refuseUsedName(client: Client, name: string): Promise<void> {
    try {
      await client.servers.show(name)
    } catch (error) {
      if (isServiceError(error) && error.code === 'not-found') return
      throw error
    }
    throw new ServiceError('conflict', {
      detail: `expected a name that is free, the catalog has a server ${name}`,
      hint: 'choose another name, or add --replace',
    })
  }
}
