// svcctl session logs
import { SessionLogs as Logs } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { visible } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

export class SessionLogs extends UnitCommand<Logs> {
  static override summary = 'Show what the sandboxes of a session printed last.'
  static override description = 'Kept in memory, at most 256 KiB a session; a restart of the runner forgets it.'
  static override result = Logs
  static override examples = ['svcctl session logs ses_abcdefghijklm', 'svcctl session logs ses_abcdefghijklm --limit 20 --json']

  static override args = { id: Args.string({ description: 'Id of the session.', required: true }) }
  static override flags = {
    limit: Flags.integer({ summary: 'Maximum number of lines, newest first.', helpValue: 'NUMBER', min: 1, max: 200, default: 200 }),
  }

  async run(): Promise<Logs> {
    const { args, flags } = await this.parse(SessionLogs)
    const client = await this.connect(flags)
    const id = await this.resolveID('session', args.id)
    const logs = await client.sessions.logs(id, { limit: flags.limit })
    this.print(logs.lines.map(({ at, text }) => `${at} ${visible(text)}`).join('\n'))
    if (logs.dropped > 0) this.remark(`${logs.dropped} lines before these are not kept.`)
    return logs
  }
}
