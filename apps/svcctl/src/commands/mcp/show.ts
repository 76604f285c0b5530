// svcctl mcp show
import { GrantView, ServerView } from '@gatehouse/contracts'
import * as v from 'valibot'
import { everyPage } from '../../connection/every-page.ts'
import { renderServer } from '../../output/server.ts'
import { Args } from '@oclif/core'
import { UnitCommand } from '../../unit-command.ts'

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
    const [server, all] = await Promise.all([client.servers.show(args.name), everyPage((cursor) => client.grants.list({ cursor }))])
    const grants = all.filter((grant) => grant.server === server.name)
    this.print(renderServer(server, grants))
    return { server, grants }
  }
}
