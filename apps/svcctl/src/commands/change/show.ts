// svcctl change show
import { ChangeView } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import { renderChange } from '../../output/change.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangeShow extends UnitCommand<ChangeView> {
  static override summary = 'Show one change: what it would do, its evidence, its decisions.'
  static override description = 'Lines of the diff begin with + or -.'
  static override result = ChangeView
  static override examples = ['svcctl change show chg_20260102030405.000000001', 'svcctl change show chg_20260102030405.000000001 --json']

  static override args = { id: Args.string({ description: 'Id of the change.', required: true }) }

  async run(): Promise<ChangeView> {
    const { args, flags } = await this.parse(ChangeShow)
    const client = await this.connect(flags)
    const id = await this.resolveID('change', args.id)
    const change = await client.changes.show(id)
    this.print(renderChange(change, process.stdout))
    return change
  }
}
