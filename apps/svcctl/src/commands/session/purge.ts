// svcctl session purge
import { Args, Flags } from '@oclif/core'
import * as v from 'valibot'
import { UnitCommand } from '../../unit-command.ts'

const Purged = v.strictObject({ purged: v.string() })
type Purged = v.InferOutput<typeof Purged>

export class SessionPurge extends UnitCommand<Purged> {
  static override summary = 'Delete the messages of a closed session, and its key.'
  static override description = 'Deleted messages cannot be recovered, not even from the file. Files of the agent group stay.'
  static override result = Purged
  static override examples = ['svcctl session purge ses_abcdefghijklm --yes']

  static override args = { id: Args.string({ description: 'Id of the session.', required: true }) }

  static override flags = { yes: Flags.boolean({ summary: 'Do not ask.' }) }

  async run(): Promise<Purged> {
    const { args, flags } = await this.parse(SessionPurge)
    const client = await this.connect(flags)
    const id = await this.resolveID('session', args.id)
    if (!flags.yes) await this.insist(`Delete the messages of ${id} for good?`)
    await client.sessions.purge(id)
    this.remark(`Deleted the messages and the key of ${id}.`)
    return { purged: id }
  }
}
