// svcctl mcp list
import { type CatalogEntry, ServerView } from '@gatehouse/contracts'
import * as v from 'valibot'
import { ListCommand } from '../../unit-command.ts'
import type { Column } from '../../output/table.ts'
import { relative } from '../../output/values.ts'

const targetOf = (entry: CatalogEntry): string => (entry.transport === 'stdio' ? [entry.command, ...entry.args].join(' ') : entry.url)

const stateOf =
  (time: (at: string) => string) =>
  ({ state }: ServerView): string => {
    if (state?.lastError === undefined) return state?.status ?? '-'
    const next = state.nextAttemptAt === undefined ? '' : `; next attempt ${time(state.nextAttemptAt)}`
    return `${state.status} (${state.lastError}${next})`
  }

const columns: readonly Column<ServerView>[] = [
  { name: 'NAME', value: (server) => server.name },
  { name: 'TRANSPORT', value: (server) => server.entry.transport, drop: 1 },
  { name: 'STATE', value: stateOf(relative), plain: stateOf((at) => at), flexible: true },
  { name: 'TOOLS', value: (server) => String(server.state?.tools ?? '-') },
  { name: 'TARGET', value: (server) => targetOf(server.entry), flexible: true, below: true },
]

export class McpList extends ListCommand<ServerView> {
  static override aliases = ['registry:servers:list']
  static override summary = 'List the tool servers of the catalog.'
  static override description = 'Stored values of variables and headers are never shown.'
  static override result = v.array(ServerView)
  static override examples = ['svcctl mcp list', 'svcctl mcp list --json']

  async run(): Promise<ServerView[]> {
    const { flags } = await this.parse(McpList)
    const client = await this.connect(flags)
    return await this.list({
      watch: flags.watch,
      read: async () => (await client.servers.list()).items,
      columns: () => columns,
      empty: 'The catalog is empty. Add a server: svcctl mcp add NAME --command PROGRAM',
      ids: ['server', ({ name }) => name],
    })
  }
}
