// svcctl change submit
import type { SubmitAnswer } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { readAfter } from '../../submission/after.ts'
import { loginName } from '../../submission/login-name.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangeSubmit extends UnitCommand<SubmitAnswer> {
  static override summary = 'Submit a change and print its id.'
  static override description =
    'The change is held until somebody approves it. The wanted state is JSON (--after, --file), or is made from the flags of its kind: --text for persona; --server and --tool for mcp_access and mcp_revoke; --name, --agent and --text for agent_create.'

  static override examples = [
    {
      description: 'Ask for one tool of a server',
      command: '<%= config.bin %> change submit mcp_access --group dev-agent --server sample --tool echo --reason "to test the line"',
    },
    { description: 'Change a persona', command: "<%= config.bin %> change submit persona --group dev-agent --text 'You are brief.'" },
    { description: 'Any kind, from standard input', command: '<%= config.bin %> change submit persona --group dev-agent --file -' },
  ]

  static override args = {
    kind: Args.string({ description: 'Kind of change, such as persona or mcp_access.', required: true }),
  }

  static override flags = {
    group: Flags.string({ summary: 'Agent group that the change is for.', helpValue: 'ID', required: true }),
    after: Flags.string({ summary: 'Wanted state as JSON.', helpValue: 'JSON', exclusive: ['file'] }),
    file: Flags.string({ summary: 'File with the wanted state as JSON; - is standard input.', helpValue: 'PATH' }),
    reason: Flags.string({ summary: 'Why, for those who decide.', helpValue: 'TEXT' }),
    as: Flags.string({ summary: 'Label of the requester; default the login name.', helpValue: 'LABEL' }),
    text: Flags.string({ summary: 'Instructions of a persona.', helpValue: 'TEXT', exclusive: ['after', 'file'] }),
    server: Flags.string({ summary: 'Tool server.', helpValue: 'NAME', exclusive: ['after', 'file'] }),
    tool: Flags.string({
      summary: 'Tool of the server; may be given several times.',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
      exclusive: ['after', 'file', 'all-tools'],
    }),
    'all-tools': Flags.boolean({ summary: 'Every tool that the server declares, now and later.', exclusive: ['after', 'file'] }),
    name: Flags.string({ summary: 'Name of a new agent group; default its id.', helpValue: 'NAME', exclusive: ['after', 'file'] }),
    agent: Flags.string({ summary: 'Agent of a new group.', options: ['mock', 'model'], exclusive: ['after', 'file'] }),
  }

  async run(): Promise<SubmitAnswer> {
    const { args, flags } = await this.parse(ChangeSubmit)
    const after = await readAfter(args.kind, flags)
    const client = await this.connect(flags)
    const submitted = await client.changes.submit({
      kind: args.kind,
      agentGroupID: flags.group,
      requestedBy: `cli:${flags.as ?? loginName()}`,
      after,
      ...(flags.reason !== undefined && { reason: flags.reason }),
    })
    this.print(submitted.id)
    this.remark(`It is ${submitted.state}. Try: svcctl change approve ${submitted.id} --by YOU`)
    return submitted
  }
}
