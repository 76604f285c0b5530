// svcctl mcp add
import type { Client } from '@gatehouse/client'
import { CatalogEntry, isServiceError, PutServerAnswer, ServiceError } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import * as v from 'valibot'
import { entryFlags, type EntryFlags, toEntry } from '../../catalog/entry.ts'
import { readJson } from '../../submission/after.ts'
import { UnitCommand } from '../../unit-command.ts'

/** A catalog entry from a file. What the file holds is in no message: it may be a secret. */
const readEntry = async (path: string): Promise<CatalogEntry> => {
  const read = v.safeParse(CatalogEntry, await readJson(path))
  if (read.success) return read.output
  const errors = read.issues.map((issue) => ({
    pointer: `/${(issue.path ?? []).map(({ key }) => String(key)).join('/')}`,
    detail: issue.expected === null ? 'expected another value' : `expected ${issue.expected}`,
  }))
  throw new ServiceError('invalid', { detail: `${path}: expected a catalog entry`, errors, hint: 'svcctl mcp show NAME --json prints one' })
}

export class McpAdd extends UnitCommand<PutServerAnswer> {
  static override aliases = ['registry:servers:add']
  static override summary = 'Add a tool server to the catalog.'
  static override description =
    'This grants no agent anything. Write secrets as ${NAME}: the unit reads the variable of its own environment when it connects, and the catalog stores only the name.'

  static override result = PutServerAnswer
  static override examples = [
    { description: 'A program on the host', command: 'svcctl mcp add notes --command node --arg /opt/sample/main.mjs' },
    {
      description: 'A server behind TLS',
      command: "svcctl mcp add search --url https://mcp.example.org/mcp --header 'Authorization=Bearer ${SEARCH_TOKEN}'",
    },
    { description: 'What svcctl mcp pack printed', command: 'svcctl mcp add boxed --file entry.json' },
  ]

  static override args = { name: Args.string({ description: 'Label of the server.', required: true }) }

  static override flags = {
    ...entryFlags,
    file: Flags.string({
      summary: 'File with the entry as JSON; - is standard input.',
      helpValue: 'PATH',
      exclusive: Object.keys(entryFlags),
    }),
    replace: Flags.boolean({ summary: 'Replace a server of this name.' }),
  }

  async run(): Promise<PutServerAnswer> {
    const { args, flags } = await this.parse(McpAdd)
    const entry = flags.file === undefined ? toEntry(flags satisfies EntryFlags) : await readEntry(flags.file)
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
