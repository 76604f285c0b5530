// svcctl change retry
import { Change } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { applyFailed } from '../../output/failure.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangeRetry extends UnitCommand<Change> {
  static override summary = 'Retry an approved change that could not be applied.'
  static override description = 'No new approval is needed: exactly the approved change is applied.'
  static override result = Change
  static override examples = ['svcctl change retry chg_20260102030405.000000001 --by alice']

  static override args = { id: Args.string({ description: 'Id of the change.', required: true }) }

  static override flags = { by: Flags.string({ summary: 'Your label, for the audit log.', helpValue: 'LABEL', required: true }) }

  async run(): Promise<Change> {
    const { args, flags } = await this.parse(ChangeRetry)
    const client = await this.connect(flags)
    const id = await this.resolveID('change', args.id)
    const change = await client.changes.retry(id, { by: flags.by })
    if (change.state === 'apply_failed') throw applyFailed(change)
    this.print(change.state)
    return change
  }
}
