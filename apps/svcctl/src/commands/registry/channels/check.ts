// svcctl registry channels check
import { Channel, ChannelCheck, channels, codes } from '@gatehouse/contracts'
import { Args } from '@oclif/core'
import * as v from 'valibot'
import { type Column, table } from '../../../output/table.ts'
import { UnitCommand } from '../../../unit-command.ts'

const columns: readonly Column<ChannelCheck>[] = [
  { name: 'CHANNEL', value: (check) => check.name },
  { name: 'ACCEPTED', value: (check) => (check.accepted ? 'yes' : 'no') },
  { name: 'ACCOUNT', value: (check) => check.account ?? '-', flexible: true },
  { name: 'MS', value: (check) => String(check.elapsedMs) },
  { name: 'DETAIL', value: (check) => check.detail, flexible: true },
]

export class ChannelsCheck extends UnitCommand<ChannelCheck> {
  static override summary = 'Ask the service of a channel whether it takes the credentials of this unit.'
  static override description = 'People are sent nothing. Ends with 7 if the service refuses them or cannot be reached.'
  static override result = ChannelCheck
  static override examples = ['svcctl registry channels check slack', 'svcctl registry channels check slack --json']

  static override args = { channel: Args.string({ description: 'Channel.', options: [...channels], required: true }) }

  async run(): Promise<ChannelCheck> {
    const { args, flags } = await this.parse(ChannelsCheck)
    const client = await this.connect(flags)
    const result = await client.channels.check(v.parse(Channel, args.channel))
    this.print(table(columns, [result], process.stdout))
    if (!result.accepted) process.exitCode = codes['upstream-failed'].exit
    return result
  }
}
