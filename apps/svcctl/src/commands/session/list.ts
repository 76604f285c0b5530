// svcctl session list
import { limits, SessionStatus } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { readAllPages } from '../../connection/pages.ts'
import { type Column, table } from '../../output/table.ts'
import { UnitCommand } from '../../unit-command.ts'

const columns: readonly Column<SessionStatus>[] = [
  { name: 'ID', value: (session) => session.id },
  { name: 'GROUP', value: (session) => session.agentGroupID },
  { name: 'STATE', value: (session) => session.state },
  { name: 'WAITING', value: (session) => String(session.waiting) },
  { name: 'LAUNCHES', value: (session) => String(session.launches) },
  { name: 'CONVERSATION', value: (session) => session.conversationId, flexible: true },
  { name: 'LAST EXIT', value: (session) => session.lastExit ?? '-', flexible: true },
]

export class SessionList extends UnitCommand<SessionStatus[]> {
  static override summary = 'List the sessions: conversations that have an agent.'
  static override description = 'WAITING counts messages that no agent has answered for yet. Into a pipe: tab-separated, without a header.'
  static override result = v.array(SessionStatus)
  static override examples = ['svcctl session list', 'svcctl session list --group dev-agent --json']

  static override flags = { group: Flags.string({ summary: 'Agent group.', helpValue: 'ID' }) }

  async run(): Promise<SessionStatus[]> {
    const { flags } = await this.parse(SessionList)
    const client = await this.connect(flags)
    const sessions = await readAllPages((cursor) => client.sessions.list({ agentGroupID: flags.group, cursor, limit: limits.pageSizeMost }))
    this.print(table(columns, sessions, process.stdout))
    if (sessions.length === 0) this.remark("There is no session. Try: svcctl chat GROUP 'hello'")
    return sessions
  }
}
