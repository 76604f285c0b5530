// svcctl registry channels list
import { AgentGroupID, Channel, channels, channelStates } from '@gatehouse/contracts'
import * as v from 'valibot'
import { readAllPages } from '../../../connection/pages.ts'
import { type Column, table } from '../../../output/table.ts'
import { UnitCommand } from '../../../unit-command.ts'

const Row = v.strictObject({
  channel: Channel,
  /** `absent`: the unit has no credentials for it. */
  state: v.picklist([...channelStates, 'absent']),
  account: v.optional(v.string()),
  reason: v.optional(v.string()),
  waiting: v.number(),
  dead: v.number(),
  wirings: v.number(),
  groups: v.array(AgentGroupID),
})
type Row = v.InferOutput<typeof Row>

const columns: readonly Column<Row>[] = [
  { name: 'CHANNEL', value: (row) => row.channel },
  { name: 'STATE', value: ({ state, reason }) => (reason === undefined ? state : `${state}: ${reason}`), flexible: true },
  { name: 'ACCOUNT', value: (row) => row.account ?? '-', flexible: true },
  { name: 'WAITING', value: (row) => String(row.waiting) },
  { name: 'DEAD', value: (row) => String(row.dead) },
  { name: 'WIRINGS', value: (row) => String(row.wirings) },
  { name: 'GROUPS', value: (row) => row.groups.join(', ') || '-', plain: (row) => row.groups.join(','), flexible: true },
]

export class ChannelsList extends UnitCommand<Row[]> {
  static override summary = 'List the channels that people may write through, how each fares, and what is wired.'
  static override description = 'WAITING and DEAD count messages of agents that their channel has not taken yet, and never will.'
  static override result = v.array(Row)
  static override examples = ['svcctl registry channels list', 'svcctl registry channels list --json']

  async run(): Promise<Row[]> {
    const { flags } = await this.parse(ChannelsList)
    const client = await this.connect(flags)
    const [wirings, { items }] = await Promise.all([readAllPages((cursor) => client.wirings.list({ cursor })), client.channels.list()])
    const rows = channels.map((channel): Row => {
      const own = wirings.filter((wiring) => wiring.channel === channel)
      const { state = 'absent', account, reason, waiting = 0, dead = 0 } = items.find(({ name }) => name === channel) ?? {}
      const known = { ...(account !== undefined && { account }), ...(reason !== undefined && { reason }) }
      return {
        channel,
        state,
        ...known,
        waiting,
        dead,
        wirings: own.length,
        groups: [...new Set(own.map(({ agentGroupID }) => agentGroupID))],
      }
    })
    this.print(table(columns, rows, process.stdout))
    if (rows.some(({ dead }) => dead > 0)) this.remark('What could not be delivered: svcctl registry channels letters')
    return rows
  }
}
