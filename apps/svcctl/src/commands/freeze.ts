// svcctl freeze
import { Freeze } from '@gatehouse/contracts'
import { wantedOf } from '../submission/freeze.ts'
import { Flags } from '@oclif/core'
import { UnitCommand } from '../unit-command.ts'

export class FreezeCommand extends UnitCommand<Freeze> {
  static override summary = 'Stop launches, calls, lists and applies, now and after a restart.'
  static override description =
    'Of one group, or without --group of the whole unit. Asks nobody. Messages are kept; decisions may be made and take effect afterwards.'
  static override result = Freeze
  static override examples = ['svcctl freeze --reason "something is wrong"', 'svcctl freeze --group dev-agent --reason "it loops"']

  static override flags = {
    group: Flags.string({ summary: 'Agent group.', helpValue: 'ID' }),
    reason: Flags.string({ summary: 'Why, for everybody who meets it.', helpValue: 'TEXT', required: true }),
  }

  async run(): Promise<Freeze> {
    const { flags } = await this.parse(FreezeCommand)
    const client = await this.connect(flags)
    return await client.freezes.freeze(wantedOf(flags))
  }
}
