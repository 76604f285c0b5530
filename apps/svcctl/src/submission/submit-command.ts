// A command that ends in the submission of one change, or only says what would become of it.
import type { Client } from '@gatehouse/client'
import { Preview, ServiceError, SubmitAnswer } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { renderPreview } from '../output/change.ts'
import { UnitCommand, type UnitFlags } from '../unit-command.ts'
import { assertDeclared, describeLoss, describeResult, readAccess } from './grant.ts'
import { loginName } from './login-name.ts'

export type Submitted = SubmitAnswer | Preview

export interface SubmitFlags extends UnitFlags {
  readonly reason?: string | undefined
  readonly as?: string | undefined
  readonly 'dry-run': boolean
  readonly 'allow-undeclared'?: boolean | undefined
}

export interface SubmitInput {
  readonly kind: string
  readonly group: string
  readonly after: unknown
  /** Tools that the group does not have yet, of those of an `mcp_access`; absent for all of them. */
  readonly added?: readonly string[]
}

export abstract class SubmitCommand extends UnitCommand<Submitted> {
  static override result: v.GenericSchema = v.union([SubmitAnswer, Preview])

  static override baseFlags = {
    ...UnitCommand.baseFlags,
    reason: Flags.string({ summary: 'Why, for those who decide.', helpValue: 'TEXT' }),
    as: Flags.string({ summary: 'Label of the requester; default the login name.', helpValue: 'LABEL' }),
    'dry-run': Flags.boolean({ summary: 'Only show what would become of it.' }),
  }

  protected async submit(flags: SubmitFlags, { kind, group, after, added }: SubmitInput): Promise<Submitted> {
    const client = await this.connect(flags)
    const access = readAccess(kind, after)
    if (access !== undefined && flags['allow-undeclared'] !== true)
      await assertDeclared(client, { group, server: access.server }, added ?? access.tools)
    const body = {
      kind,
      agentGroupID: group,
      requestedBy: `cli:${flags.as ?? loginName()}`,
      after,
      ...(flags.reason !== undefined && { reason: flags.reason }),
    }
    if (flags['dry-run']) return this.show(await client.changes.preview(body), kind)
    const submitted = await client.changes.submit(body)
    this.print(submitted.id)
    if (access !== undefined) await this.tellGrant(client, submitted.id)
    this.remark(`It is ${submitted.state}. Try: svcctl change approve ${submitted.id} --by YOU`)
    return submitted
  }

  /** A grant replaces the one before it, and nobody is to lose a tool without a word. */
  private async tellGrant(client: Client, id: string): Promise<void> {
    const change = await client.changes.show(id)
    const loss = describeLoss(change)
    this.remark(describeResult(change))
    if (loss !== undefined) this.say(loss)
  }

  private show(preview: Preview, kind: string): Preview {
    this.print(renderPreview(preview, { stream: process.stdout, kind }))
    if (preview.state === 'held') return preview
    const { rule = 'unknown', reason = 'no reason was given' } = preview.failure ?? {}
    throw new ServiceError('change-refused', { detail: `it would be refused: ${reason}`, extra: { rule } })
  }
}
