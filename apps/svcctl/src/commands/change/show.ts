// svcctl change show
import { ChangeView } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import { readReach } from '../../decision/choose.ts'
import { renderChange } from '../../output/change.ts'
import { loginName } from '../../submission/login-name.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangeShow extends UnitCommand<ChangeView> {
  static override summary = 'Show one change: what it does, why its risk is what it is, its evidence, and how to decide it.'
  static override description = 'Fields are shown as before → after. The last lines are the commands to type next.'
  static override result = ChangeView
  static override examples = [
    'svcctl change show chg_20260102030405.000000001',
    'svcctl change show chg_20260102030405.000000001 --json id,risk,summary',
  ]

  static override args = { id: Args.string({ description: 'Id of the change.', required: true }) }

  async run(): Promise<ChangeView> {
    const { args, flags } = await this.parse(ChangeShow)
    const client = await this.connect(flags)
    const id = await this.resolveID('change', args.id)
    const [change, reach] = await Promise.all([client.changes.show(id), this.jsonEnabled() ? undefined : readReach(client, id)])
    this.print(renderChange(change, { stream: process.stdout, by: loginName(), reach }))
    return change
  }
}
