// svcctl model calls
import { ModelCallRecord, modelProviders } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { readAllPages } from '../../connection/pages.ts'
import { type Column, table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

const columns: readonly Column<ModelCallRecord>[] = [
  { name: 'TIME', value: (call) => call.time },
  { name: 'GROUP', value: (call) => call.agentGroupID ?? '' },
  { name: 'PROVIDER', value: (call) => call.provider },
  { name: 'MODEL', value: (call) => call.model, flexible: true },
  { name: 'OUTCOME', value: (call) => call.code ?? call.outcome },
  { name: 'IN', value: (call) => String(call.tokensIn) },
  { name: 'OUT', value: (call) => `${call.tokensOut}${call.estimated === true ? '~' : ''}` },
  { name: 'MS', value: (call) => String(Math.round(call.duration)) },
]

export class ModelCalls extends UnitCommand<ModelCallRecord[]> {
  static override summary = 'Read the records of requests to models, the newest last.'
  static override description = 'Never a word of a request or an answer. Tokens with ~ are reckoned, since the provider did not say.'
  static override result = v.array(ModelCallRecord)
  static override examples = ['svcctl model calls', 'svcctl model calls --group team --outcome error --json']

  static override flags = {
    group: Flags.string({ summary: 'Of one agent group.', helpValue: 'GROUP' }),
    provider: Flags.string({ summary: 'Of one provider.', options: [...modelProviders] }),
    outcome: Flags.string({ summary: 'With one outcome.', options: ['ok', 'refused', 'error', 'timeout', 'cancelled', 'unknown'] }),
    limit: Flags.integer({ summary: 'At most so many, the newest.', default: 50, min: 1, helpValue: 'NUMBER' }),
  }

  async run(): Promise<ModelCallRecord[]> {
    const { flags } = await this.parse(ModelCalls)
    const client = await this.connect(flags)
    const { group: agentGroupID, provider, outcome, limit } = flags
    const wanted = { agentGroupID, provider, outcome, limit: Math.min(limit, 200) }
    const newest = await readAllPages((cursor) => client.models.calls({ ...wanted, cursor }), limit)
    const calls = newest.toReversed()
    this.print(table(columns, calls, process.stdout))
    if (calls.length === 0) this.remark('No request of a model is recorded.')
    return calls
  }
}
