// svcctl registry wirings add
import { channels } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { wiringFlags } from '../../../submission/shorthand-flags.ts'
import { expandShorthand } from '../../../submission/shorthand.ts'
import { SubmitCommand, type Submitted } from '../../../submission/submit-command.ts'

export class WiringsAdd extends SubmitCommand {
  static override summary = 'Ask that an address of a channel leads to a group.'
  static override description = 'Prints the id of the change. Until it is approved the agent hears nothing from there.'
  static override examples = ['svcctl registry wirings add slack C012345 --group dev-agent --engage mention']

  static override args = {
    channel: Args.string({ description: 'Channel.', options: [...channels], required: true }),
    address: Args.string({ description: 'Place of the channel, as the channel names it.', required: true }),
  }

  static override flags = {
    group: Flags.string({ summary: 'Agent group.', helpValue: 'ID', required: true }),
    engage: wiringFlags.engage,
    pattern: wiringFlags.pattern,
    session: wiringFlags.session,
  }

  async run(): Promise<Submitted> {
    const { args, flags } = await this.parse(WiringsAdd)
    return await this.submit(flags, { kind: 'wiring', group: flags.group, after: expandShorthand('wiring', { ...flags, ...args }) })
  }
}
