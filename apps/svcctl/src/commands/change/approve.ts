// svcctl change approve
import type { Client } from '@gatehouse/client'
import { Change, ServiceError } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { chooseChange, readReach } from '../../decision/choose.ts'
import { ask, confirm } from '../../input/ask.ts'
import { renderChange } from '../../output/change.ts'
import { applyFailed } from '../../output/failure.ts'
import { UnitCommand } from '../../unit-command.ts'

/** What the audit log says of an approval that nobody looked at here. */
const unseen = 'approved with --yes, not shown'

export class ChangeApprove extends UnitCommand<Change> {
  static override summary = 'Approve a change, so that it is applied.'
  static override description =
    'At a terminal the change is shown first and you are asked, and exactly what was shown is approved. A high risk is confirmed by typing the name of its group. Without an ID you choose from the pending changes. With --yes, with --digest or in a pipe nothing is asked; the audit log says of --yes that the change was not shown.'

  static override result = Change
  static override examples = [
    { description: 'Look, then decide', command: 'svcctl change approve chg_20260102030405.000000001 --by alice' },
    { description: 'Without a question', command: 'svcctl change approve chg_20260102030405.000000001 --by alice --yes' },
  ]

  static override args = { id: Args.string({ description: 'Id of the change; at a terminal you can choose instead.' }) }

  static override flags = {
    by: Flags.string({ summary: 'Label of the approver.', helpValue: 'APPROVER', required: true }),
    reason: Flags.string({ summary: 'Reason, for the audit log.', helpValue: 'TEXT' }),
    yes: Flags.boolean({ summary: 'Skip the question; the audit log says so.' }),
    digest: Flags.string({ summary: 'Approve only if the change still has this digest. Skips the question.', helpValue: 'SHA256' }),
  }

  async run(): Promise<Change> {
    const { args, flags } = await this.parse(ChangeApprove)
    const client = await this.connect(flags)
    const id = args.id === undefined ? await chooseChange(client, this.canAsk) : await this.resolveID('change', args.id)
    const asks = this.canAsk && !flags.yes && flags.digest === undefined
    const digest = asks ? await this.#review(client, id, flags.by) : flags.digest
    const reason = flags.yes ? [flags.reason, unseen].filter((part) => part !== undefined).join('; ') : flags.reason
    const change = await client.changes.decide(id, {
      outcome: 'approve',
      decidedBy: flags.by,
      ...(reason !== undefined && { reason }),
      ...(digest !== undefined && { digest }),
    })
    if (change.state === 'apply_failed') throw applyFailed(change)
    this.print(change.state)
    if (change.state === 'held') this.remark(`${change.approvals.needed - change.approvals.given} more approval is missing.`)
    return change
  }

  /** Gives the digest of what was shown. */
  async #review(client: Client, id: string, by: string): Promise<string> {
    const [change, reach] = await Promise.all([client.changes.show(id), readReach(client, id)])
    this.print(renderChange(change, { stream: process.stdout, reach }))
    if (change.state !== 'held' || (await this.#confirms(change))) return change.digest
    throw new ServiceError('conflict', { detail: 'not approved', hint: `svcctl change reject ${id} --by ${by}` })
  }

  async #confirms({ id, risk, agentGroupID }: Change): Promise<boolean> {
    if (risk !== 'high') return await confirm(`Approve ${id}?`)
    return (await ask(`High risk. Type the name of the group to approve (${agentGroupID}): `)) === agentGroupID
  }
}
