// svcctl mcp show
import { GrantView, ServerView } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import * as v from 'valibot'
import { readAllPages } from '../../connection/pages.ts'
import { visible } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

/** One tool server for people: its entry, its state, who may use it. */
const field = (name: string, value: string | undefined): string[] =>
  value === undefined || value === '' ? [] : [`${name.padEnd(10)} ${visible(value)}`]

const pairs = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join('  ')

const entryLines = ({ entry }: ServerView): string[] =>
  entry.transport === 'stdio'
    ? [...field('command', [entry.command, ...entry.args].join(' ')), ...field('image', entry.image), ...field('env', pairs(entry.env))]
    : [...field('url', entry.url), ...field('headers', pairs(entry.headers))]

const renderServer = (server: ServerView, grants: readonly GrantView[]): string => {
  const { state } = server
  const lines = [
    ...field('name', server.name),
    ...field('transport', server.entry.transport),
    ...entryLines(server),
    ...field('state', state === undefined ? 'unknown' : state.status),
    ...field('failure', state?.lastError),
    ...field('tools', state?.tools === undefined ? undefined : String(state.tools)),
    ...field('digest', server.digest),
    ...field(
      'granted',
      grants.length === 0
        ? 'to nobody'
        : grants
            .map(({ agentGroupID, tools, state: of }) => `${agentGroupID} (${tools.length === 0 ? 'every tool' : tools.join(', ')}, ${of})`)
            .join('; '),
    ),
  ]
  return `${lines.join('\n')}\n`
}

const Shown = v.strictObject({ server: ServerView, grants: v.array(GrantView) })
type Shown = v.InferOutput<typeof Shown>

export class McpShow extends UnitCommand<Shown> {
  static override aliases = ['registry:servers:show']
  static override summary = 'Show one tool server: its entry, its state, who may use it.'
  static override description = 'Stored values of variables and headers are never shown.'
  static override result = Shown
  static override examples = ['svcctl mcp show sample', 'svcctl mcp show sample --json']

  static override args = { name: Args.string({ description: 'Label of the server.', required: true }) }

  async run(): Promise<Shown> {
    const { args, flags } = await this.parse(McpShow)
    const client = await this.connect(flags)
    const name = await this.resolveID('server', args.name)
    const [server, all] = await Promise.all([client.servers.show(name), readAllPages((cursor) => client.grants.list({ cursor }))])
    const grants = all.filter((grant) => grant.server === server.name)
    this.print(renderServer(server, grants))
    return { server, grants }
  }
}
