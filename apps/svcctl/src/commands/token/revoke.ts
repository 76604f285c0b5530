// svcctl token revoke
import { Args, Flags } from '@oclif/core'
import { done, Done } from '../../command.ts'
import { UnitCommand } from '../../unit-command.ts'

export class TokenRevoke extends UnitCommand<Done> {
  static override summary = 'Revoke a named token.'
  static override description = 'Open connections of the token end within a second.'
  static override result = Done
  static override examples = ['svcctl token revoke alice --yes']

  static override args = { name: Args.string({ description: 'Name of the token.', required: true }) }

  static override flags = { yes: Flags.boolean({ summary: 'Do not ask.' }) }

  async run(): Promise<Done> {
    const { args, flags } = await this.parse(TokenRevoke)
    const client = await this.connect(flags)
    const name = await this.resolveID('token', args.name)
    if (!flags.yes) await this.insist(`Revoke the token ${name}?`)
    await client.tokens.revoke(name)
    return done
  }
}
