// svcctl change submit
import { Args, Flags } from '@oclif/core'
import { readAfter } from '../../submission/after.ts'
import { shorthandFlags, undeclaredFlag } from '../../submission/shorthand-flags.ts'
import { SubmitCommand, type Submitted } from '../../submission/submit-command.ts'

const sugar = [
  'agent_create   --agent, --name, --text, --model',
  'persona        --text',
  'tools          --enable',
  'permissions    --member, --model, --limit, --provider-tool',
  'packages       --npm',
  'mounts         --mount',
  'wiring         --channel, --address, --engage, --pattern, --session, --remove',
  'mcp_access     --server, --tool or --all-tools, --expires, --max-calls, --allow-undeclared; replaces the grant',
  'mcp_revoke     --server, --tool',
  'mcp_register   --name, and --command or --url as in svcctl mcp add',
]

export class ChangeSubmit extends SubmitCommand {
  static override summary = 'Submit a change and print its id.'
  static override description = `The change is held until somebody approves it. Give the new state as JSON (--after, --file), or by the flags of its kind:\n${sugar.join('\n')}`

  static override examples = [
    {
      description: 'Ask for one tool of a server',
      command: 'svcctl change submit mcp_access --group dev-agent --server sample --tool echo --reason "to test the line"',
    },
    { description: 'Change a persona', command: "svcctl change submit persona --group dev-agent --text 'You are brief.'" },
    {
      description: 'See what a change would do, without asking for it',
      command: 'svcctl change submit tools --group dev-agent --enable run_script --dry-run',
    },
    {
      description: 'Wire an agent to a place of a channel',
      command: 'svcctl change submit wiring --group dev-agent --channel slack --address C012345 --engage mention',
    },
    {
      description: 'Limits and members',
      command: 'svcctl change submit permissions --group dev-agent --limit memoryMiB=256 --member slack:U012345',
    },
    {
      description: 'Packages for scripts of an agent',
      command: 'svcctl change submit packages --group dev-agent --npm left-pad@1.3.0 --npm zod@4.1.12',
    },
    {
      description: 'Any kind, as JSON',
      command: `svcctl change submit persona --group dev-agent --after '{"instructions":"You are brief."}'`,
    },
  ]

  static override args = {
    kind: Args.string({ description: 'Kind of change, such as persona or mcp_access.', required: true }),
  }

  static override flags = {
    group: Flags.string({ summary: 'Agent group to change.', helpValue: 'ID', required: true }),
    after: Flags.string({ summary: 'New state as JSON.', helpValue: 'JSON', exclusive: ['file'] }),
    file: Flags.string({ summary: 'File with the new state as JSON; - is standard input.', helpValue: 'PATH' }),
    ...shorthandFlags,
    'allow-undeclared': undeclaredFlag,
  }

  async run(): Promise<Submitted> {
    const { args, flags } = await this.parse(ChangeSubmit)
    return await this.submit(flags, { kind: args.kind, group: flags.group, after: await readAfter(args.kind, flags) })
  }
}
