// svcctl model calls
import { ModelCallRecord, modelProviders } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { groupFlag, limitFlag, readAllPages } from '../../connection/pages.ts'
import { sinceFlag, untilFlag } from '../../input/time.ts'
import { ListCommand } from '../../unit-command.ts'
import type { Column } from '../../output/table.ts'
import { relative } from '../../output/values.ts'

const columns: readonly Column<ModelCallRecord>[] = [
  { name: 'TIME', value: ({ time }) => relative(time), plain: ({ time }) => time },
  { name: 'GROUP', value: (call) => call.agentGroupID ?? '' },
  { name: 'PROVIDER', value: (call) => call.provider, drop: 1 },
  { name: 'MODEL', value: (call) => call.model, drop: 2 },
  { name: 'OUTCOME', value: (call) => call.code ?? call.outcome, style: ({ outcome }) => (outcome === 'ok' ? 'green' : 'red') },
  { name: 'IN', value: (call) => String(call.tokensIn) },
  { name: 'OUT', value: (call) => `${call.tokensOut}${call.estimated === true ? '~' : ''}` },
  { name: 'MS', value: (call) => String(Math.round(call.duration)) },
]

export class ModelCalls extends ListCommand<ModelCallRecord> {
  static override summary = 'Read the call records of models, newest last.'
  static override description =
    'Records never hold text of a request or an answer. ~ marks token counts that are estimated because the provider gave none.'
  static override result = v.array(ModelCallRecord)
  static override examples = ['svcctl model calls', 'svcctl model calls --group team --outcome error --json']

  static override flags = {
    group: groupFlag,
    provider: Flags.string({ summary: 'Filter by provider.', options: [...modelProviders] }),
    outcome: Flags.string({ summary: 'Filter by outcome.', options: ['ok', 'refused', 'error', 'timeout', 'cancelled', 'unknown'] }),
    since: sinceFlag,
    until: untilFlag,
    limit: limitFlag,
  }

  async run(): Promise<ModelCallRecord[]> {
    const { flags } = await this.parse(ModelCalls)
    const client = await this.connect(flags)
    const { provider, outcome, since, until, limit } = flags
    const agentGroupID = await this.optionalID('group', flags.group)
    const filter = { agentGroupID, provider, outcome, since, until, limit: Math.min(limit, 200) }
    return await this.list({
      watch: flags.watch,
      read: async () => (await readAllPages((cursor) => client.models.calls({ ...filter, cursor }), limit)).toReversed(),
      columns: () => columns,
      empty: 'No call matches.',
    })
  }
}
