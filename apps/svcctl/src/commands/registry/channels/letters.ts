// svcctl registry channels letters
import { DeadLetter } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type Column, table } from '../../../output/table.ts'
import { UnitCommand } from '../../../unit-command.ts'

const columns: readonly Column<DeadLetter>[] = [
  { name: 'TIME', value: (letter) => letter.at },
  { name: 'CHANNEL', value: (letter) => letter.channel },
  { name: 'GROUP', value: (letter) => letter.agentGroupID },
  { name: 'CONVERSATION', value: (letter) => letter.conversationId, flexible: true },
  { name: 'MESSAGE', value: (letter) => letter.messageId, flexible: true },
  { name: 'REASON', value: (letter) => letter.reason, flexible: true },
]

export class ChannelsLetters extends UnitCommand<DeadLetter[]> {
  static override summary = 'List messages of agents that could not be delivered, newest first.'
  static override description = 'They stay in their conversations: svcctl chat shows them.'
  static override result = v.array(DeadLetter)
  static override examples = ['svcctl registry channels letters']

  async run(): Promise<DeadLetter[]> {
    const { flags } = await this.parse(ChannelsLetters)
    const client = await this.connect(flags)
    const { letters } = await client.channels.list()
    this.print(table(columns, letters, process.stdout))
    if (letters.length === 0) this.remark('Everything was delivered.')
    return letters
  }
}
