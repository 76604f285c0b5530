// svcctl change pending
import { Change } from '@gatehouse/contracts'
import * as v from 'valibot'
import { filterFlags, parseFilter, readAllPages } from '../../connection/pages.ts'
import { ListCommand } from '../../unit-command.ts'
import { byRisk, pendingColumns } from '../../output/change-table.ts'

export class ChangePending extends ListCommand<Change> {
  static override summary = 'List the changes that need a decision, the highest risk first.'
  static override description =
    'Of one risk, the oldest comes first. Other commands take any unambiguous beginning of an id, or @1 for the first row. In a pipe: tab-separated, without a header, with full ids and times instead of ages.'
  static override result = v.array(Change)
  static override examples = [
    'svcctl change pending',
    'svcctl change pending --group dev-agent --since 2d',
    'svcctl change pending --json id,risk,summary',
    `svcctl change pending --jq '.[] | select(.risk == "high") | .id'`,
  ]

  static override flags = filterFlags

  async run(): Promise<Change[]> {
    const { flags } = await this.parse(ChangePending)
    const client = await this.connect(flags)
    const filter = parseFilter({ ...flags, group: await this.optionalID('group', flags.group) })
    return await this.list({
      watch: flags.watch,
      read: async () => byRisk(await readAllPages((cursor) => client.changes.pending({ ...filter, cursor }))),
      columns: pendingColumns,
      empty: 'Nothing pending.',
      ids: ['change', ({ id }) => id],
      next: () => 'Look at the first one: svcctl change show @1',
    })
  }
}
