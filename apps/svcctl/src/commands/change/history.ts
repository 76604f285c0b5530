// svcctl change history
import { Change, ChangeState, changeStates } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { filterFlags, parseFilter, readAllPages } from '../../connection/pages.ts'
import { historyColumns } from '../../output/change-table.ts'
import { table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangeHistory extends UnitCommand<Change[]> {
  static override summary = 'List the changes that were decided or refused.'
  static override description = 'Into a pipe: tab-separated, without a header, with times instead of ages.'
  static override result = v.array(Change)
  static override examples = [
    'svcctl change history',
    'svcctl change history --limit 10 --json',
    'svcctl change history --state rejected --kind mcp_access',
  ]

  static override flags = {
    ...filterFlags,
    state: Flags.string({ summary: 'In this state alone.', options: [...changeStates] }),
    limit: Flags.integer({ summary: 'At most so many, the newest.', default: 50, min: 1, helpValue: 'NUMBER' }),
  }

  async run(): Promise<Change[]> {
    const { flags } = await this.parse(ChangeHistory)
    const client = await this.connect(flags)
    const changes = await readAllPages(
      (cursor) => client.changes.history({ ...parseFilter(flags), state: v.parse(v.optional(ChangeState), flags.state), cursor }),
      flags.limit,
    )
    this.print(table(historyColumns, changes, process.stdout))
    if (changes.length === 0) this.remark('No change was decided yet.')
    return changes
  }
}
