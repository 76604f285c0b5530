// svcctl mcp logout
import { LogoutOutcome } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { UnitCommand } from '../../unit-command.ts'

export class McpLogout extends UnitCommand<LogoutOutcome> {
  static override summary = 'End the login of the unit at a remote tool server.'
  static override description =
    'Deletes the tokens of the unit and asks the authorization server to revoke them. Calls of the server end at once.'
  static override result = LogoutOutcome
  static override examples = ['svcctl mcp logout far --yes']

  static override args = { name: Args.string({ description: 'Label of the server.', required: true }) }

  static override flags = { yes: Flags.boolean({ summary: 'Do not ask.' }) }

  async run(): Promise<LogoutOutcome> {
    const { args, flags } = await this.parse(McpLogout)
    const client = await this.connect(flags)
    const name = await this.resolveID('server', args.name)
    if (!flags.yes) await this.insist(`End the login at the tool server ${name}?`)
    const outcome = await client.servers.logout(name)
    this.remark(
      outcome.revoked
        ? `The login at ${name} has ended, and its tokens are revoked.`
        : `The login at ${name} has ended here. Its authorization server did not confirm that the tokens are revoked: remove the access there too.`,
    )
    return outcome
  }
}
