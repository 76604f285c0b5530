// svcctl audit, svcctl audit list
import { AuditEntry } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { filterFlags, limitFlag, parseFilter, readAllPages } from '../../connection/pages.ts'
import { relative, shortIDs } from '../../output/values.ts'
import { ListCommand } from '../../unit-command.ts'
import { auditSubject } from '../../output/audit-subject.ts'
import type { Column } from '../../output/table.ts'

const columns = (entries: readonly AuditEntry[]): Column<AuditEntry>[] => {
  const short = shortIDs(entries.flatMap(({ changeID }) => changeID ?? []))
  return [
    { name: 'TIME', value: ({ time }) => relative(time), plain: ({ time }) => time },
    { name: 'STAGE', value: ({ stage }) => stage },
    { name: 'CHANGE', value: ({ changeID }) => short(changeID ?? ''), plain: ({ changeID }) => changeID ?? '' },
    { name: 'KIND', value: ({ kind }) => kind ?? '', drop: 2 },
    { name: 'GROUP', value: ({ agentGroupID }) => agentGroupID ?? '' },
    { name: 'SUBJECT', value: auditSubject, flexible: true, drop: 1 },
    { name: 'PRINCIPAL', value: ({ principal }) => principal, flexible: true, drop: 3 },
    { name: 'BY', value: ({ by }) => by ?? '', flexible: true },
  ]
}

export class AuditList extends ListCommand<AuditEntry> {
  static override aliases = ['audit']
  static override summary = 'Read the audit log, newest record last.'
  static override description = 'In a pipe: tab-separated, without a header.'
  static override result = v.array(AuditEntry)
  static override examples = [
    'svcctl audit',
    'svcctl audit --limit 20 --json',
    'svcctl audit --stage approve --group dev-agent --since yesterday',
  ]

  static override flags = {
    ...filterFlags,
    stage: Flags.string({ summary: 'Filter by stage, such as approve or auth-failed.', helpValue: 'STAGE' }),
    change: Flags.string({ summary: 'Filter by change.', helpValue: 'ID' }),
    limit: limitFlag,
  }

  async run(): Promise<AuditEntry[]> {
    const { flags } = await this.parse(AuditList)
    const client = await this.connect(flags)
    const filter = {
      ...parseFilter({ ...flags, group: await this.optionalID('group', flags.group) }),
      stage: flags.stage,
      changeID: await this.optionalID('change', flags.change),
      limit: Math.min(flags.limit, 200),
    }
    return await this.list({
      watch: flags.watch,
      read: async () =>
        (await readAllPages((cursor) => client.audit.list({ ...filter, cursor }), flags.limit)).toSorted((a, b) => a.seq - b.seq),
      columns,
      empty: 'No record matches.',
    })
  }
}
