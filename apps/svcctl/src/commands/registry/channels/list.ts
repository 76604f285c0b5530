// svcctl registry channels list
import type { Client } from '@gatehouse/client'
import { AgentGroupID, Channel, channels, channelStates } from '@gatehouse/contracts'
import * as v from 'valibot'
import { readAllPages } from '../../../connection/pages.ts'
import { ListCommand } from '../../../unit-command.ts'
import type { Column } from '../../../output/table.ts'

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
  { name: 'ACCOUNT', value: (row) => row.account ?? '-', flexible: true, drop: 1 },
  { name: 'WAITING', value: (row) => String(row.waiting) },
  { name: 'DEAD', value: (row) => String(row.dead) },
  { name: 'WIRINGS', value: (row) => String(row.wirings), drop: 2 },
  { name: 'GROUPS', value: (row) => row.groups.join(', ') || '-', plain: (row) => row.groups.join(','), flexible: true },
]

const readRows = async (client: Client): Promise<Row[]> => {
  const [wirings, { items }] = await Promise.all([readAllPages((cursor) => client.wirings.list({ cursor })), client.channels.list()])
  return channels.map((channel): Row => {
    const own = wirings.filter((wiring) => wiring.channel === channel)
    const { state = 'absent', account, reason, waiting = 0, dead = 0 } = items.find(({ name }) => name === channel) ?? {}
    const known = { ...(account !== undefined && { account }), ...(reason !== undefined && { reason }) }
    const groups = [...new Set(own.map(({ agentGroupID }) => agentGroupID))]
    return { channel, state, ...known, waiting, dead, wirings: own.length, groups }
  })
}

export class ChannelsList extends ListCommand<Row> {
  static override summary = 'List the channels, the state of each, and the groups that are routed to it.'
  static override description =
    'WAITING counts messages of agents that the channel has not accepted yet, DEAD those that could not be delivered.'
  static override result = v.array(Row)
  static override examples = ['svcctl registry channels list', 'svcctl registry channels list --json']

  async run(): Promise<Row[]> {
    const { flags } = await this.parse(ChannelsList)
    const client = await this.connect(flags)
    return await this.list({
      watch: flags.watch,
      read: () => readRows(client),
      columns: () => columns,
      empty: 'No channels.',
      next: (rows) => (rows.some(({ dead }) => dead > 0) ? 'See what was not delivered: svcctl registry channels letters' : undefined),
    })
  }
}
