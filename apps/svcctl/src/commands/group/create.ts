// svcctl group create
import { Args, Flags } from '@oclif/core'
import { shorthandFlags } from '../../submission/shorthand-flags.ts'
import { expandShorthand } from '../../submission/shorthand.ts'
import { SubmitCommand, type Submitted } from '../../submission/submit-command.ts'

export class GroupCreate extends SubmitCommand {
  static override summary = 'Ask for a new agent group, and print the id of the change.'
  static override description = 'The group is there when the change is approved.'
  static override examples = [
    'svcctl group create research --agent mock',
    'svcctl group create research --agent model --model anthropic/some-model --text "You are brief."',
  ]

  static override args = { id: Args.string({ description: 'Id of the group.', required: true }) }

  static override flags = {
    agent: Flags.string({
      summary: 'What its agent is; external: a program outside of the unit, which is not sandboxed.',
      options: ['mock', 'model', 'external'],
      required: true,
    }),
    name: shorthandFlags.name,
    text: shorthandFlags.text,
    model: shorthandFlags.model,
  }

  async run(): Promise<Submitted> {
    const { args, flags } = await this.parse(GroupCreate)
    return await this.submit(flags, {
      kind: 'agent_create',
      group: args.id,
      after: expandShorthand('agent_create', { ...flags, group: args.id }),
    })
  }
}
