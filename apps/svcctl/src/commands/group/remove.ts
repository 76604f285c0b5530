// svcctl group remove
import { Args } from '@oclif/core'
import { SubmitCommand, type Submitted } from '../../submission/submit-command.ts'

export class GroupRemove extends SubmitCommand {
  static override summary = 'Ask for the end of an agent group, and print the id of the change.'
  static override description = 'When it is approved its sessions end, and what it had goes with it.'
  static override examples = ['svcctl group remove dev-agent --reason "no longer needed"']

  static override args = { id: Args.string({ description: 'Id of the group.', required: true }) }

  async run(): Promise<Submitted> {
    const { args, flags } = await this.parse(GroupRemove)
    return await this.submit(flags, { kind: 'agent_remove', group: args.id, after: {} })
  }
}
