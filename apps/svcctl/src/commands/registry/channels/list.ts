// svcctl registry channels list
import { AgentGroupID, Channel, channels } from '@gatehouse/contracts'
import * as v from 'valibot'
import { everyPage } from '../../../connection/every-page.ts'
import { type Column, table } from '../../../output/table.ts'
import { UnitCommand } from '../../../unit-command.ts'

const Row = v.strictObject({ channel: Channel, wirings: v.number(), groups: v.array(AgentGroupID) })
type Row = v.InferOutput<typeof Row>

const columns: readonly Column<Row>[] = [
  { name: 'CHANNEL', value: (row) => row.channel },
  { name: 'WIRINGS', value: (row) => String(row.wirings) },
  { name: 'GROUPS', value: (row) => row.groups.join(', ') || '-', plain: (row) => row.groups.join(','), flexible: true },
]

export class ChannelsList extends UnitCommand<Row[]> {
  static override summary = 'List the channels that people may write through, with what is wired.'
  static override description = 'A channel works when the unit has its credentials: svcctl doctor.'
  static override result = v.array(Row)
  static override examples = ['svcctl registry channels list', 'svcctl registry channels list --json']

  async run(): Promise<Row[]> {
    const { flags } = await this.parse(ChannelsList)
    const client = await this.connect(flags)
    const wirings = await everyPage((cursor) => client.wirings.list({ cursor }))
    const rows = channels.map((channel): Row => {
      const own = wirings.filter((wiring) => wiring.channel === channel)
      return { channel, wirings: own.length, groups: [...new Set(own.map(({ agentGroupID }) => agentGroupID))] }
    })
    this.print(table(columns, rows, process.stdout))
    return rows
  }
}
