// svcctl audit, svcctl audit list
import type { AuditEntry } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import { everyPage } from '../../connection/every-page.ts'
import { type Column, table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

const columns: readonly Column<AuditEntry>[] = [
  { name: 'TIME', value: (entry) => entry.time },
  { name: 'STAGE', value: (entry) => entry.stage },
  { name: 'CHANGE', value: (entry) => entry.changeID ?? '' },
  { name: 'KIND', value: (entry) => entry.kind ?? '' },
  { name: 'GROUP', value: (entry) => entry.agentGroupID ?? '' },
  { name: 'PRINCIPAL', value: (entry) => entry.principal },
]

export class AuditList extends UnitCommand<AuditEntry[]> {
  static override summary = 'Read the journal of decisions, the newest line last.'
  static override description = 'Into a pipe: tab-separated, without a header.'
  static override examples = ['<%= config.bin %> audit', '<%= config.bin %> audit --limit 20 --json']

  static override flags = {
    limit: Flags.integer({ summary: 'At most so many lines, the newest.', default: 50, min: 1, helpValue: 'NUMBER' }),
  }

  async run(): Promise<AuditEntry[]> {
    const { flags } = await this.parse(AuditList)
    const client = await this.connect(flags)
    const newest = await everyPage((cursor) => client.audit.list({ cursor, limit: Math.min(flags.limit, 200) }), flags.limit)
    const entries = newest.toSorted((a, b) => a.seq - b.seq)
    this.print(table(columns, entries, process.stdout))
    if (entries.length === 0) this.remark('The journal is empty.')
    return entries
  }
}
