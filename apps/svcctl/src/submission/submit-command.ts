// A command that ends in the submission of one change, or only says what would become of it.
import { Preview, ServiceError, SubmitAnswer } from '@gatehouse/contracts'
import * as v from 'valibot'
import { Flags } from '@oclif/core'
import { renderPreview } from '../output/change.ts'
import { type UnitFlags, UnitCommand } from '../unit-command.ts'
import { loginName } from './login-name.ts'

export type Submitted = SubmitAnswer | Preview

export interface SubmitFlags extends UnitFlags {
  readonly reason?: string | undefined
  readonly as?: string | undefined
  readonly 'dry-run': boolean
}

export interface Wanted {
  readonly kind: string
  readonly group: string
  readonly after: unknown
}

export abstract class SubmitCommand extends UnitCommand<Submitted> {
  static override result: v.GenericSchema = v.union([SubmitAnswer, Preview])

  static override baseFlags = {
    ...UnitCommand.baseFlags,
    reason: Flags.string({ summary: 'Why, for those who decide.', helpValue: 'TEXT' }),
    as: Flags.string({ summary: 'Label of the requester; default the login name.', helpValue: 'LABEL' }),
    'dry-run': Flags.boolean({ summary: 'Only show what would become of it.' }),
  }

  protected async submit(flags: SubmitFlags, { kind, group, after }: Wanted): Promise<Submitted> {
    const client = await this.connect(flags)
    const body = {
      kind,
      agentGroupID: group,
      requestedBy: `cli:${flags.as ?? loginName()}`,
      after,
      ...(flags.reason !== undefined && { reason: flags.reason }),
    }
    if (flags['dry-run']) return this.show(await client.changes.preview(body))
    const submitted = await client.changes.submit(body)
    this.print(submitted.id)
    this.remark(`It is ${submitted.state}. Try: svcctl change approve ${submitted.id} --by YOU`)
    return submitted
  }

  private show(preview: Preview): Preview {
    this.print(renderPreview(preview, process.stdout))
    if (preview.state === 'held') return preview
    const { rule = 'unknown', reason = 'no reason was given' } = preview.failure ?? {}
    throw new ServiceError('change-refused', { detail: `it would be refused: ${reason}`, extra: { rule } })
  }
}
