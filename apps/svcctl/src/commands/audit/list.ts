// svcctl audit, svcctl audit list
import { AuditEntry } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { filterFlags, parseFilter, readAllPages } from '../../connection/pages.ts'
import { auditSubject } from '../../output/audit-subject.ts'
import { type Column, table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

const columns: readonly Column<AuditEntry>[] = [
  { name: 'TIME', value: (entry) => `${entry.time.slice(0, 10)} ${entry.time.slice(11, 19)}`, plain: (entry) => entry.time },
  { name: 'STAGE', value: (entry) => entry.stage },
  { name: 'CHANGE', value: (entry) => entry.changeID ?? '' },
  { name: 'KIND', value: (entry) => entry.kind ?? '' },
  { name: 'GROUP', value: (entry) => entry.agentGroupID ?? '' },
  { name: 'SUBJECT', value: auditSubject, flexible: true },
  { name: 'PRINCIPAL', value: (entry) => entry.principal, flexible: true },
  { name: 'BY', value: (entry) => entry.by ?? '', flexible: true },
]

export class AuditList extends UnitCommand<AuditEntry[]> {
  static override aliases = ['audit']
  static override summary = 'Read the journal of decisions, the newest line last.'
  static override description = 'Into a pipe: tab-separated, without a header.'
  static override result = v.array(AuditEntry)
  static override examples = [
    'svcctl audit',
    'svcctl audit --limit 20 --json',
    'svcctl audit --stage approve --group dev-agent --since 2026-01-01T00:00:00Z',
  ]

  static override flags = {
    ...filterFlags,
    stage: Flags.string({ summary: 'Of this stage alone, such as approve or auth-failed.', helpValue: 'STAGE' }),
    change: Flags.string({ summary: 'Of this change alone.', helpValue: 'ID' }),
    limit: Flags.integer({ summary: 'At most so many lines, the newest.', default: 50, min: 1, helpValue: 'NUMBER' }),
  }

  async run(): Promise<AuditEntry[]> {
    const { flags } = await this.parse(AuditList)
    const client = await this.connect(flags)
    const newest = await readAllPages(
      (cursor) =>
        client.audit.list({ ...parseFilter(flags), stage: flags.stage, changeID: flags.change, cursor, limit: Math.min(flags.limit, 200) }),
      flags.limit,
    )
    const entries = newest.toSorted((a, b) => a.seq - b.seq)
    this.print(table(columns, entries, process.stdout))
    if (entries.length === 0) this.remark('The journal is empty.')
    return entries
  }
}
