// svcctl change reject
import { Change } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { chooseChange } from '../../decision/choose.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangeReject extends UnitCommand<Change> {
  static override summary = 'Reject a change, so that it is never applied.'
  static override description =
    'One rejection ends a change, whatever the number of its approvals. Without an ID you choose from the pending changes.'
  static override result = Change
  static override examples = ['svcctl change reject chg_20260102030405.000000001 --by alice --reason "too many tools"']

  static override args = { id: Args.string({ description: 'Id of the change; at a terminal you can choose instead.' }) }

  static override flags = {
    by: Flags.string({ summary: 'Label of the approver.', helpValue: 'APPROVER', required: true }),
    reason: Flags.string({ summary: 'Reason, for the requester and the audit log.', helpValue: 'TEXT' }),
  }

  async run(): Promise<Change> {
    const { args, flags } = await this.parse(ChangeReject)
    const client = await this.connect(flags)
    const id = args.id === undefined ? await chooseChange(client, this.canAsk) : await this.resolveID('change', args.id)
    const change = await client.changes.decide(id, {
      outcome: 'reject',
      decidedBy: flags.by,
      ...(flags.reason !== undefined && { reason: flags.reason }),
    })
    this.print(change.state)
    return change
  }
}
