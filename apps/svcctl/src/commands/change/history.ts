// svcctl change history
import type { Change } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import { everyPage } from '../../connection/every-page.ts'
import { historyColumns } from '../../output/change-table.ts'
import { table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangeHistory extends UnitCommand<Change[]> {
  static override summary = 'List the changes that were decided or refused.'
  static override description = 'Into a pipe: tab-separated, without a header, with times instead of ages.'
  static override examples = ['<%= config.bin %> change history', '<%= config.bin %> change history --limit 10 --json']

  static override flags = {
    limit: Flags.integer({ summary: 'At most so many, the newest.', default: 50, min: 1, helpValue: 'NUMBER' }),
  }

  async run(): Promise<Change[]> {
    const { flags } = await this.parse(ChangeHistory)
    const client = await this.connect(flags)
    const changes = await everyPage((cursor) => client.changes.history({ cursor }), flags.limit)
    this.print(table(historyColumns, changes, process.stdout))
    if (changes.length === 0) this.remark('No change was decided yet.')
    return changes
  }
}
