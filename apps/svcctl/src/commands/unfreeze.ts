// svcctl unfreeze
import { Flags } from '@oclif/core'
import { done, Done } from '../command.ts'
import { UnitCommand } from '../unit-command.ts'
import { parseTarget } from './freeze.ts'

export class Unfreeze extends UnitCommand<Done> {
  static override summary = 'Lift a freeze.'
  static override description = 'Of one group, or of the whole unit without --group. Needs the role admin.'
  static override result = Done
  static override examples = ['svcctl unfreeze --reason "it was a drill"', 'svcctl unfreeze --group dev-agent --reason "fixed"']

  static override flags = {
    group: Flags.string({ summary: 'Agent group.', helpValue: 'ID' }),
    reason: Flags.string({ summary: 'Why, for the journal.', helpValue: 'TEXT', required: true }),
  }

  async run(): Promise<Done> {
    const { flags } = await this.parse(Unfreeze)
    const client = await this.connect(flags)
    await client.freezes.unfreeze(parseTarget(flags))
    return done
  }
}
