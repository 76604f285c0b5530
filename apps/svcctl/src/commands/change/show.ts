// svcctl change show
import type { Change } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import { renderChange } from '../../output/change.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangeShow extends UnitCommand<Change> {
  static override summary = 'Show one change: what it would do, its evidence, its decisions.'
  static override description = 'Lines of the diff begin with + or -.'
  static override examples = [
    '<%= config.bin %> change show chg_20260102030405.000000001',
    '<%= config.bin %> change show chg_20260102030405.000000001 --json',
  ]

  static override args = { id: Args.string({ description: 'Id of the change.', required: true }) }

  async run(): Promise<Change> {
    const { args, flags } = await this.parse(ChangeShow)
    const client = await this.connect(flags)
    const change = await client.changes.show(args.id)
    this.print(renderChange(change, process.stdout))
    return change
  }
}
