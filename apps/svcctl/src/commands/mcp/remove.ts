// svcctl mcp remove
import { Args, Flags } from '@oclif/core'
import { done, Done } from '../../command.ts'
import { UnitCommand } from '../../unit-command.ts'

export class McpRemove extends UnitCommand<Done> {
  static override aliases = ['registry:servers:remove']
  static override summary = 'Take a tool server out of the catalog.'
  static override description =
    'Its calls end at once. Grants stay and are good again when a server of the same digest comes back under the name.'
  static override result = Done
  static override examples = ['svcctl mcp remove sample --yes']

  static override args = { name: Args.string({ description: 'Label of the server.', required: true }) }

  static override flags = { yes: Flags.boolean({ summary: 'Do not ask.' }) }

  async run(): Promise<Done> {
    const { args, flags } = await this.parse(McpRemove)
    const client = await this.connect(flags)
    const name = await this.resolveID('server', args.name)
    const { tag } = await client.servers.show(name)
    if (!flags.yes) await this.insist(`Remove the tool server ${name}?`)
    await client.servers.remove(name, { ifMatch: tag })
    return done
  }
}
