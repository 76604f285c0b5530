// svcctl session terminate
import { Args, Flags } from '@oclif/core'
import { done, Done } from '../../command.ts'
import { UnitCommand } from '../../unit-command.ts'

export class SessionTerminate extends UnitCommand<Done> {
  static override summary = 'Terminate a session and revoke all that it may do.'
  static override description = 'Its sandbox is killed. The next message opens a new session.'
  static override result = Done
  static override examples = ['svcctl session terminate ses_abcdefghijklm --yes --reason "it loops"']

  static override args = { id: Args.string({ description: 'Id of the session.', required: true }) }

  static override flags = {
    yes: Flags.boolean({ summary: 'Do not ask.' }),
    reason: Flags.string({ summary: 'Why, for the journal.', helpValue: 'TEXT' }),
  }

  async run(): Promise<Done> {
    const { args, flags } = await this.parse(SessionTerminate)
    const client = await this.connect(flags)
    const id = await this.resolveID('session', args.id)
    if (!flags.yes) await this.insist(`Terminate ${id}?`)
    await client.sessions.terminate(id, flags.reason === undefined ? {} : { reason: flags.reason })
    return done
  }
}
