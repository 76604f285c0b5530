// svcctl files rm
import { Args, Flags } from '@oclif/core'
import { done, Done } from '../../command.ts'
import { locate } from '../../files/transfer.ts'
import { visible } from '../../output/values.ts'
import { UnitCommand } from '../../unit-command.ts'

export class FilesRm extends UnitCommand<Done> {
  static override summary = 'Remove a file of an agent group.'
  static override description =
    'One name is removed: that of a file, of a link, pipe, socket or device (never what it leads to), or of an empty directory. It cannot be brought back; the journal keeps who removed what.'

  static override result = Done
  static override examples = ['svcctl files rm dev-agent report.md --yes', 'svcctl files rm dev-agent /memory/old.md --yes']

  static override args = {
    group: Args.string({ description: 'Agent group.', required: true }),
    path: Args.string({ description: 'Path of what is removed, as the agent sees it.', required: true }),
  }

  static override flags = { yes: Flags.boolean({ summary: 'Do not ask.' }) }

  async run(): Promise<Done> {
    const { args, flags } = await this.parse(FilesRm)
    const at = locate(args.path)
    const shown = `/${at.place}/${visible(at.path)}`
    const client = await this.connect(flags)
    const group = await this.resolveID('group', args.group)
    if (!flags.yes) await this.insist(`Remove ${shown} of ${group}?`)
    await client.files.remove(group, at)
    this.remark(`Removed ${shown}.`)
    return done
  }
}
