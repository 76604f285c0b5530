// svcctl change revert
import { SubmitAnswer } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { loginName } from '../../submission/login-name.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangeRevert extends UnitCommand<SubmitAnswer> {
  static override summary = 'Request the inverse of an applied change.'
  static override description = 'Prints the id of a new change, which is held like any other.'
  static override result = SubmitAnswer
  static override examples = ['svcctl change revert chg_20260102030405.000000001 --reason "the agent was louder than before"']

  static override args = { id: Args.string({ description: 'Id of the change.', required: true }) }

  static override flags = {
    as: Flags.string({ summary: 'Label of the requester; default the login name.', helpValue: 'LABEL' }),
    reason: Flags.string({ summary: 'Reason, for the approver.', helpValue: 'TEXT' }),
  }

  async run(): Promise<SubmitAnswer> {
    const { args, flags } = await this.parse(ChangeRevert)
    const client = await this.connect(flags)
    const id = await this.resolveID('change', args.id)
    const requestedBy = `cli:${flags.as ?? loginName()}`
    const submitted = await client.changes.revert(id, { requestedBy, ...(flags.reason !== undefined && { reason: flags.reason }) })
    this.print(submitted.id)
    this.remark(`It is ${submitted.state}. Try: svcctl change approve ${submitted.id} --by YOU`)
    return submitted
  }
}
