// svcctl audit calls
import { callOps, CallRecord, callStatuses } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { groupFlag, limitFlag, readAllPages } from '../../connection/pages.ts'
import { relative, shortIDs } from '../../output/values.ts'
import { sinceFlag, untilFlag } from '../../input/time.ts'
import { ListCommand } from '../../unit-command.ts'
import type { Column } from '../../output/table.ts'

const statusOf = ({ status, code }: CallRecord): string => (code === undefined ? status : `${status} ${code}`)

const columns = (records: readonly CallRecord[]): Column<CallRecord>[] => {
  const short = shortIDs(records.map(({ session }) => session))
  return [
    { name: 'TIME', value: ({ time }) => relative(time), plain: ({ time }) => time },
    { name: 'GROUP', value: ({ agentGroupID }) => agentGroupID ?? '' },
    { name: 'SESSION', value: ({ session }) => short(session), plain: ({ session }) => session, drop: 3 },
    { name: 'OP', value: ({ op }) => op, drop: 1 },
    { name: 'SERVER', value: ({ server }) => server },
    { name: 'TOOL', value: ({ tool }) => tool ?? '' },
    { name: 'STATUS', value: statusOf, style: ({ status }) => (status === 'ok' ? 'green' : 'red') },
    { name: 'BYTES', value: ({ bytes }) => String(bytes), drop: 2 },
    { name: 'MS', value: ({ duration }) => duration.toFixed(1), drop: 0 },
  ]
}

export class AuditCalls extends ListCommand<CallRecord> {
  static override summary = 'Read the call records of tools, newest last.'
  static override description = 'Records never hold arguments or results. In a pipe: tab-separated, without a header.'
  static override result = v.array(CallRecord)
  static override examples = [
    'svcctl audit calls',
    'svcctl audit calls --server sample --status refused',
    'svcctl audit calls --since 1h --json',
  ]

  static override flags = {
    limit: limitFlag,
    group: groupFlag,
    session: Flags.string({ summary: 'Filter by session.', helpValue: 'ID' }),
    server: Flags.string({ summary: 'Filter by tool server.', helpValue: 'NAME' }),
    tool: Flags.string({ summary: 'Filter by tool, by its own name.', helpValue: 'NAME' }),
    op: Flags.option({ summary: 'Only lists or only calls.', options: callOps })(),
    status: Flags.option({ summary: 'Filter by status.', options: callStatuses })(),
    since: sinceFlag,
    until: untilFlag,
  }

  async run(): Promise<CallRecord[]> {
    const { flags } = await this.parse(AuditCalls)
    const client = await this.connect(flags)
    const { tool, op, status, since, until } = flags
    const [agentGroupID, session, server] = await Promise.all([
      this.optionalID('group', flags.group),
      this.optionalID('session', flags.session),
      this.optionalID('server', flags.server),
    ])
    const filter = { agentGroupID, session, server, tool, op, status, since, until, limit: Math.min(flags.limit, 200) }
    return await this.list({
      watch: flags.watch,
      read: async () => (await readAllPages((cursor) => client.audit.calls({ ...filter, cursor }), flags.limit)).toReversed(),
      columns,
      empty: 'No call matches.',
    })
  }
}
