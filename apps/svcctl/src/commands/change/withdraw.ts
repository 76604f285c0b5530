// svcctl change withdraw
import { Change } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { loginName } from '../../submission/login-name.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangeWithdraw extends UnitCommand<Change> {
  static override summary = 'Withdraw a change that you requested.'
  static override description = 'It is never applied. Only its requester may withdraw it; others reject it.'
  static override result = Change
  static override examples = ['svcctl change withdraw chg_20260102030405.000000001 --reason "asked for too much"']

  static override args = { id: Args.string({ description: 'Id of the change.', required: true }) }

  static override flags = {
    as: Flags.string({ summary: 'Your label; default the login name.', helpValue: 'LABEL' }),
    reason: Flags.string({ summary: 'Reason, for the audit log.', helpValue: 'TEXT' }),
  }

  async run(): Promise<Change> {
    const { args, flags } = await this.parse(ChangeWithdraw)
    const client = await this.connect(flags)
    const id = await this.resolveID('change', args.id)
    const by = `cli:${flags.as ?? loginName()}`
    const change = await client.changes.withdraw(id, { by, ...(flags.reason !== undefined && { reason: flags.reason }) })
    this.print(change.state)
    return change
  }
}
