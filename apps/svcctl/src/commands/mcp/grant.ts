// svcctl mcp grant
import { isBasedOn } from '@gatehouse/client'
import { ServiceError } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { addTo, findGrant, readAccess } from '../../submission/grant.ts'
import { grantFlags, undeclaredFlag } from '../../submission/shorthand-flags.ts'
import { expandShorthand } from '../../submission/shorthand.ts'
import { SubmitCommand, type Submitted } from '../../submission/submit-command.ts'

export class McpGrant extends SubmitCommand {
  static override summary = 'Request that a group may use tools of a server, and print the id of the change.'
  static override description =
    'Adds the tools to those that the group has of that server, and keeps the end and the number of calls of that grant unless you give others. --replace grants only the tools that you name. The names are there at the next launch after the approval.'
  static override examples = [
    'svcctl mcp grant sample --group dev-agent --tool echo --tool add',
    'svcctl mcp grant sample --group dev-agent --tool echo --replace',
    'svcctl mcp grant sample --group dev-agent --all-tools --expires 2099-01-31T09:30:00Z --max-calls 100',
  ]

  static override args = { name: Args.string({ description: 'Name of the server.', required: true }) }

  static override flags = {
    group: Flags.string({ summary: 'Agent group.', helpValue: 'ID', required: true }),
    ...grantFlags,
    replace: Flags.boolean({ summary: 'Grant only these tools, instead of those that the group has.' }),
    'allow-undeclared': undeclaredFlag,
  }

  async run(): Promise<Submitted> {
    const { args, flags } = await this.parse(McpGrant)
    const { group } = flags
    const asked = expandShorthand('mcp_access', { ...flags, server: args.name })
    const input = readAccess('mcp_access', asked)
    if (flags.replace || input === undefined) return await this.submit(flags, { kind: 'mcp_access', group, after: asked })
    const client = await this.connect(flags)
    const present = await findGrant(client, { group, server: args.name })
    const submitted = await this.submit(flags, { kind: 'mcp_access', group, after: addTo(present, input), added: input.tools })
    if (!('id' in submitted) || isBasedOn(await client.changes.show(submitted.id), present)) return submitted
    await client.changes.withdraw(submitted.id)
    throw new ServiceError('conflict', {
      detail: `the grant of ${group} for ${args.name} changed in the meantime: ${submitted.id} was withdrawn`,
      hint: 'run the command again',
    })
  }
}
