// svcctl session resume
import { Args } from '@oclif/core'
import { done, Done } from '../../command.ts'
import { UnitCommand } from '../../unit-command.ts'

export class SessionResume extends UnitCommand<Done> {
  static override summary = 'Let a parked session work again.'
  static override description = 'A session is parked when its sandbox failed again and again.'
  static override result = Done
  static override examples = ['svcctl session resume ses_abcdefghijklm']

  static override args = { id: Args.string({ description: 'Id of the session.', required: true }) }

  async run(): Promise<Done> {
    const { args, flags } = await this.parse(SessionResume)
    const client = await this.connect(flags)
    const id = await this.resolveID('session', args.id)
    await client.sessions.resume(id)
    return done
  }
}
