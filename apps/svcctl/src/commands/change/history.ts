// svcctl change history
import { Change, ChangeState, changeStates } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { filterFlags, limitFlag, parseFilter, readAllPages } from '../../connection/pages.ts'
import { ListCommand } from '../../unit-command.ts'
import { historyColumns } from '../../output/change-table.ts'

export class ChangeHistory extends ListCommand<Change> {
  static override summary = 'List the changes that are no longer pending.'
  static override description = 'In a pipe: tab-separated, without a header, with full ids and times instead of ages.'
  static override result = v.array(Change)
  static override examples = [
    'svcctl change history',
    'svcctl change history --limit 10 --json',
    'svcctl change history --state rejected --kind mcp_access --since yesterday',
  ]

  static override flags = {
    ...filterFlags,
    state: Flags.string({ summary: 'Filter by state.', options: [...changeStates] }),
    limit: limitFlag,
  }

  async run(): Promise<Change[]> {
    const { flags } = await this.parse(ChangeHistory)
    const client = await this.connect(flags)
    const filter = parseFilter({ ...flags, group: await this.optionalID('group', flags.group) })
    const state = v.parse(v.optional(ChangeState), flags.state)
    return await this.list({
      watch: flags.watch,
      read: () => readAllPages((cursor) => client.changes.history({ ...filter, state, cursor }), flags.limit),
      columns: historyColumns,
      empty: 'No change matches.',
      ids: ['change', ({ id }) => id],
    })
  }
}
