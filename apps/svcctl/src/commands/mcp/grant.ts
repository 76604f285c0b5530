// svcctl mcp grant
import { fromSugar } from '../../submission/sugar.ts'
import { grantFlags } from '../../submission/sugar-flags.ts'
import { Args, Flags } from '@oclif/core'
import { SubmitCommand, type Submitted } from '../../submission/submit-command.ts'

export class McpGrant extends SubmitCommand {
  static override summary = 'Ask that a group may use tools of a server, and print the id of the change.'
  static override description =
    'Replaces what the group was granted of that server before. The names are there at the next launch after the approval.'
  static override examples = [
    'svcctl mcp grant sample --group dev-agent --tool echo --tool add',
    'svcctl mcp grant sample --group dev-agent --all-tools --expires 2099-01-31T09:30:00Z --max-calls 100',
  ]

  static override args = { name: Args.string({ description: 'Label of the server.', required: true }) }

  static override flags = { group: Flags.string({ summary: 'Agent group.', helpValue: 'ID', required: true }), ...grantFlags }

  async run(): Promise<Submitted> {
    const { args, flags } = await this.parse(McpGrant)
    return await this.submit(flags, {
      kind: 'mcp_access',
      group: flags.group,
      after: fromSugar('mcp_access', { ...flags, server: args.name }),
    })
  }
}
