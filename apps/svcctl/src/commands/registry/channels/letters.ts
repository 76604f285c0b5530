// svcctl registry channels letters
import { DeadLetter } from '@gatehouse/contracts'
import * as v from 'valibot'
import { ListCommand } from '../../../unit-command.ts'
import type { Column } from '../../../output/table.ts'
import { relative } from '../../../output/values.ts'

const columns: readonly Column<DeadLetter>[] = [
  { name: 'TIME', value: ({ at }) => relative(at), plain: ({ at }) => at },
  { name: 'CHANNEL', value: (letter) => letter.channel },
  { name: 'GROUP', value: (letter) => letter.agentGroupID },
  { name: 'CONVERSATION', value: (letter) => letter.conversationId, drop: 2 },
  { name: 'MESSAGE', value: (letter) => letter.messageId, drop: 1 },
  { name: 'REASON', value: (letter) => letter.reason, flexible: true, below: true },
]

export class ChannelsLetters extends ListCommand<DeadLetter> {
  static override summary = 'List messages of agents that could not be delivered, newest first.'
  static override description = 'They stay in their conversations: svcctl chat shows them.'
  static override result = v.array(DeadLetter)
  static override examples = ['svcctl registry channels letters']

  async run(): Promise<DeadLetter[]> {
    const { flags } = await this.parse(ChannelsLetters)
    const client = await this.connect(flags)
    return await this.list({
      watch: flags.watch,
      read: async () => (await client.channels.list()).letters,
      columns: () => columns,
      empty: 'Every message was delivered.',
    })
  }
}
