// svcctl audit calls
import { callOps, CallRecord, callStatuses } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { readAllPages } from '../../connection/pages.ts'
import { type Column, table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

const columns: readonly Column<CallRecord>[] = [
  { name: 'TIME', value: (record) => record.time },
  { name: 'GROUP', value: (record) => record.agentGroupID ?? '' },
  { name: 'SESSION', value: (record) => record.session },
  { name: 'OP', value: (record) => record.op },
  { name: 'SERVER', value: (record) => record.server },
  { name: 'TOOL', value: (record) => record.tool ?? '' },
  { name: 'STATUS', value: (record) => (record.code === undefined ? record.status : `${record.status} ${record.code}`) },
  { name: 'BYTES', value: (record) => String(record.bytes) },
  { name: 'MS', value: (record) => record.duration.toFixed(1) },
]

export class AuditCalls extends UnitCommand<CallRecord[]> {
  static override summary = 'Read the records of tool lists and calls, the newest last.'
  static override description = 'Arguments and results are in none of them. Into a pipe: tab-separated, without a header.'
  static override result = v.array(CallRecord)
  static override examples = [
    'svcctl audit calls',
    'svcctl audit calls --server sample --status refused',
    'svcctl audit calls --since 2026-11-22T00:00:00Z --json',
  ]

  static override flags = {
    limit: Flags.integer({ summary: 'At most so many, the newest.', default: 50, min: 1, helpValue: 'NUMBER' }),
    group: Flags.string({ summary: 'Of this agent group.', helpValue: 'ID' }),
    session: Flags.string({ summary: 'Of this session.', helpValue: 'ID' }),
    server: Flags.string({ summary: 'Of this tool server.', helpValue: 'NAME' }),
    tool: Flags.string({ summary: 'Of this tool, by its own name.', helpValue: 'NAME' }),
    op: Flags.option({ summary: 'Lists or calls alone.', options: callOps })(),
    status: Flags.option({ summary: 'That ended so.', options: callStatuses })(),
    since: Flags.string({ summary: 'From then on.', helpValue: 'TIME' }),
    until: Flags.string({ summary: 'Before then.', helpValue: 'TIME' }),
  }

  async run(): Promise<CallRecord[]> {
    const { flags } = await this.parse(AuditCalls)
    const client = await this.connect(flags)
    const { session, server, tool, op, status, since, until } = flags
    const wanted = { agentGroupID: flags.group, session, server, tool, op, status, since, until }
    const newest = await readAllPages((cursor) => client.audit.calls({ ...wanted, cursor, limit: Math.min(flags.limit, 200) }), flags.limit)
    const records = newest.toReversed()
    this.print(table(columns, records, process.stdout))
    if (records.length === 0) this.remark('No list and no call fits.')
    return records
  }
}
