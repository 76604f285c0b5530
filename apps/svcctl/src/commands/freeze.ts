// svcctl freeze
import { AgentGroupID, Freeze, type FreezeBody, ServiceError } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { UnitCommand } from '../unit-command.ts'

/** What is to be frozen or freed. */
export const parseTarget = ({ group, reason }: { readonly group?: string | undefined; readonly reason: string }): FreezeBody => {
  if (group === undefined) return { reason }
  const id = v.safeParse(AgentGroupID, group)
  if (id.success) return { reason, agentGroupID: id.output }
  throw new ServiceError('invalid', { detail: `expected the id of a group after --group: ${id.issues[0].message}` })
}

export class FreezeCommand extends UnitCommand<Freeze> {
  static override summary = 'Stop launches, calls, lists and applies, now and after a restart.'
  static override description =
    'Of one group, or without --group of the whole unit. Asks nobody. Messages are kept; decisions may be made and take effect afterwards.'
  static override result = Freeze
  static override examples = ['svcctl freeze --reason "something is wrong"', 'svcctl freeze --group dev-agent --reason "it loops"']

  static override flags = {
    group: Flags.string({ summary: 'Agent group.', helpValue: 'ID' }),
    reason: Flags.string({ summary: 'Reason, shown to everyone who is affected.', helpValue: 'TEXT', required: true }),
  }

  async run(): Promise<Freeze> {
    const { flags } = await this.parse(FreezeCommand)
    const client = await this.connect(flags)
    return await client.freezes.freeze(parseTarget(flags))
  }
}
