// svcctl session show
import { ServiceError, SessionID, SessionStatus } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import * as v from 'valibot'
import { visible } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

export class SessionShow extends UnitCommand<SessionStatus> {
  static override summary = 'Show one session.'
  static override description = 'LAST EXIT says how its last sandbox ended.'
  static override result = SessionStatus
  static override examples = ['svcctl session show ses_abcdefghijklm', 'svcctl session show ses_abcdefghijklm --json']

  static override args = { id: Args.string({ description: 'Id of the session.', required: true }) }

  async run(): Promise<SessionStatus> {
    const { args, flags } = await this.parse(SessionShow)
    const client = await this.connect(flags)
    const id = await this.resolveID('session', args.id)
    const items = v.is(SessionID, id) ? (await client.sessions.list({ session: id })).items : []
    const session = items[0]
    if (session === undefined) {
      throw new ServiceError('not-found', { detail: `session ${id} not found`, hint: 'svcctl session list' })
    }
    const rows = Object.entries({ ...session, lastExit: session.lastExit ?? '-' })
    this.print(rows.map(([name, value]) => `${name.padEnd(15)} ${visible(String(value))}`).join('\n'))
    return session
  }
}
