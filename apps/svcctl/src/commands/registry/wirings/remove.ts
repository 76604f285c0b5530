// svcctl registry wirings remove
import { channels } from '@gatehouse/contracts'
import { Args, Flags } from '@oclif/core'
import { SubmitCommand, type Submitted } from '../../../submission/submit-command.ts'

export class WiringsRemove extends SubmitCommand {
  static override summary = 'Ask that an address of a channel leads nowhere.'
  static override description = 'Prints the id of the change.'
  static override examples = ['svcctl registry wirings remove slack C012345 --group dev-agent']

  static override args = {
    channel: Args.string({ description: 'Channel.', options: [...channels], required: true }),
    address: Args.string({ description: 'Place of the channel, as the channel names it.', required: true }),
  }

  static override flags = { group: Flags.string({ summary: 'Agent group.', helpValue: 'ID', required: true }) }

  async run(): Promise<Submitted> {
    const { args, flags } = await this.parse(WiringsRemove)
    return await this.submit(flags, {
      kind: 'wiring',
      group: flags.group,
      after: { remove: { channel: args.channel, address: args.address } },
    })
  }
}
