// svcctl mcp list
import { type CatalogEntry, ServerView } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type Column, table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

const targetOf = (entry: CatalogEntry): string => (entry.transport === 'stdio' ? [entry.command, ...entry.args].join(' ') : entry.url)

const stateOf = ({ state }: ServerView): string => {
  if (state?.lastError === undefined) return state?.status ?? '-'
  const next = state.nextAttemptAt === undefined ? '' : `; next attempt ${state.nextAttemptAt}`
  return `${state.status} (${state.lastError}${next})`
}

const columns: readonly Column<ServerView>[] = [
  { name: 'NAME', value: (server) => server.name },
  { name: 'TRANSPORT', value: (server) => server.entry.transport },
  { name: 'STATE', value: stateOf },
  { name: 'TOOLS', value: (server) => String(server.state?.tools ?? '-') },
  { name: 'TARGET', value: (server) => targetOf(server.entry), flexible: true },
]

export class McpList extends UnitCommand<ServerView[]> {
  static override aliases = ['registry:servers:list']
  static override summary = 'List the tool servers of the catalog.'
  static override description = 'Stored values of variables and headers are never shown.'
  static override result = v.array(ServerView)
  static override examples = ['svcctl mcp list', 'svcctl mcp list --json']

  async run(): Promise<ServerView[]> {
    const { flags } = await this.parse(McpList)
    const client = await this.connect(flags)
    const { items } = await client.servers.list()
    this.print(table(columns, items, process.stdout))
    if (items.length === 0) this.remark('The catalog is empty. Try: svcctl mcp add NAME --command PROGRAM')
    return items
  }
}
