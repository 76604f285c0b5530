// svcctl change approve
import type { Client } from '@gatehouse/client'
import { Change, ServiceError } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { confirm } from '../../input/ask.ts'
import { renderChange } from '../../output/change.ts'
import { applyFailed } from '../../output/failure.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangeApprove extends UnitCommand<Change> {
  static override summary = 'Approve a change, so that it is applied.'
  static override description =
    'At a terminal the change is shown first and asked about, and what is approved is exactly what was shown. With --yes, with --digest or in a pipe nothing is asked.'

  static override result = Change
  static override examples = [
    { description: 'Look, then decide', command: 'svcctl change approve chg_20260102030405.000000001 --by alice' },
    { description: 'Without a question', command: 'svcctl change approve chg_20260102030405.000000001 --by alice --yes' },
  ]

  static override args = { id: Args.string({ description: 'Id of the change.', required: true }) }

  static override flags = {
    by: Flags.string({ summary: 'Label of the approver.', helpValue: 'APPROVER', required: true }),
    reason: Flags.string({ summary: 'Why, for the journal.', helpValue: 'TEXT' }),
    yes: Flags.boolean({ summary: 'Do not ask.' }),
    digest: Flags.string({ summary: 'Approve only if the change still has this digest; do not ask.', helpValue: 'SHA256' }),
  }

  async run(): Promise<Change> {
    const { args, flags } = await this.parse(ChangeApprove)
    const client = await this.connect(flags)
    const id = await this.resolveID('change', args.id)
    const asks = process.stdin.isTTY && process.stdout.isTTY && !flags.yes && flags.digest === undefined && !this.jsonEnabled()
    const digest = asks ? await this.ask(client, id) : flags.digest
    const change = await client.changes.decide(id, {
      outcome: 'approve',
      decidedBy: flags.by,
      ...(flags.reason !== undefined && { reason: flags.reason }),
      ...(digest !== undefined && { digest }),
    })
    if (change.state === 'apply_failed') throw applyFailed(change)
    this.print(change.state)
    return change
  }

  /** Gives the digest of what was shown. */
  private async ask(client: Client, id: string): Promise<string> {
    const change = await client.changes.show(id)
    this.print(renderChange(change, process.stdout))
    if (change.state !== 'held') return change.digest
    if (await confirm(`Approve ${id}?`)) return change.digest
    throw new ServiceError('conflict', { detail: 'nothing was approved', hint: `svcctl change reject ${id} --by YOU` })
  }
}
