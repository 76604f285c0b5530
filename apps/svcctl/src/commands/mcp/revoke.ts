// svcctl mcp revoke
import { Args, Flags } from '@oclif/core'
import { grantFlags } from '../../submission/shorthand-flags.ts'
import { expandShorthand } from '../../submission/shorthand.ts'
import { SubmitCommand, type Submitted } from '../../submission/submit-command.ts'

export class McpRevoke extends SubmitCommand {
  static override summary = 'Request that a group loses a server, or some of its tools.'
  static override description =
    'Prints the id of the change. It only removes access, so its requester may approve it. To stop calls immediately: svcctl freeze.'
  static override examples = ['svcctl mcp revoke sample --group dev-agent', 'svcctl mcp revoke sample --group dev-agent --tool echo']

  static override args = { name: Args.string({ description: 'Label of the server.', required: true }) }

  static override flags = { group: Flags.string({ summary: 'Agent group.', helpValue: 'ID', required: true }), tool: grantFlags.tool }

  async run(): Promise<Submitted> {
    const { args, flags } = await this.parse(McpRevoke)
    return await this.submit(flags, {
      kind: 'mcp_revoke',
      group: flags.group,
      after: expandShorthand('mcp_revoke', { ...flags, server: args.name }),
    })
  }
}
