// svcctl change pending
import { Change } from '@gatehouse/contracts'
import * as v from 'valibot'
import { filterFlags, parseFilter, readAllPages } from '../../connection/pages.ts'
import { pendingColumns } from '../../output/change-table.ts'
import { table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

export class ChangePending extends UnitCommand<Change[]> {
  static override summary = 'List the changes that wait for a decision.'
  static override description = 'Into a pipe: tab-separated, without a header, with times instead of ages.'
  static override result = v.array(Change)
  static override examples = ['svcctl change pending', 'svcctl change pending --json', 'svcctl change pending --group dev-agent']

  static override flags = filterFlags

  async run(): Promise<Change[]> {
    const { flags } = await this.parse(ChangePending)
    const client = await this.connect(flags)
    const changes = await readAllPages((cursor) => client.changes.pending({ ...parseFilter(flags), cursor }))
    this.print(table(pendingColumns, changes, process.stdout))
    if (changes.length === 0) this.remark('No change waits for a decision.')
    return changes
  }
}
