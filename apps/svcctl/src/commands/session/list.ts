// svcctl session list
import { limits, SessionStatus } from '@gatehouse/contracts'
import * as v from 'valibot'
import { groupFlag, readAllPages } from '../../connection/pages.ts'
import { shortIDs } from '../../output/values.ts'
import { ListCommand } from '../../unit-command.ts'
import type { Column } from '../../output/table.ts'

const columns = (sessions: readonly SessionStatus[]): Column<SessionStatus>[] => {
  const short = shortIDs(sessions.map(({ id }) => id))
  return [
    { name: 'ID', value: ({ id }) => short(id), plain: ({ id }) => id },
    { name: 'GROUP', value: ({ agentGroupID }) => agentGroupID },
    { name: 'STATE', value: ({ state }) => state },
    { name: 'WAITING', value: ({ waiting }) => String(waiting) },
    { name: 'LAUNCHES', value: ({ launches }) => String(launches), drop: 1 },
    { name: 'CONVERSATION', value: ({ conversationId }) => conversationId, flexible: true, drop: 2 },
    { name: 'LAST EXIT', value: ({ lastExit }) => lastExit ?? '-', flexible: true, below: true },
  ]
}

export class SessionList extends ListCommand<SessionStatus> {
  static override summary = 'List the sessions: conversations that have an agent.'
  static override description = 'WAITING counts messages that no agent has answered yet. In a pipe: tab-separated, without a header.'
  static override result = v.array(SessionStatus)
  static override examples = ['svcctl session list', 'svcctl session list --group dev-agent --json']

  static override flags = { group: groupFlag }

  async run(): Promise<SessionStatus[]> {
    const { flags } = await this.parse(SessionList)
    const client = await this.connect(flags)
    const agentGroupID = await this.optionalID('group', flags.group)
    return await this.list({
      watch: flags.watch,
      read: () => readAllPages((cursor) => client.sessions.list({ agentGroupID, cursor, limit: limits.pageSizeMost })),
      columns,
      empty: "No sessions. Start one: svcctl chat GROUP 'hello'",
      ids: ['session', ({ id }) => id],
    })
  }
}
