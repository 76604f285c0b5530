// svcctl registry wirings list
import { Wired } from '@gatehouse/contracts'
import * as v from 'valibot'
import { groupFlag, readAllPages } from '../../../connection/pages.ts'
import { ListCommand } from '../../../unit-command.ts'
import type { Column } from '../../../output/table.ts'

const columns: readonly Column<Wired>[] = [
  { name: 'CHANNEL', value: (wiring) => wiring.channel },
  { name: 'ADDRESS', value: (wiring) => wiring.address, flexible: true },
  { name: 'GROUP', value: (wiring) => wiring.agentGroupID },
  { name: 'ENGAGE', value: ({ engage, pattern }) => (pattern === undefined ? engage : `${engage} ${pattern}`), flexible: true },
  { name: 'SESSION', value: (wiring) => wiring.session, drop: 1 },
]

export class WiringsList extends ListCommand<Wired> {
  static override summary = 'List the wirings: which channel address is routed to which group.'
  static override description = 'In a pipe: tab-separated, without a header.'
  static override result = v.array(Wired)
  static override examples = ['svcctl registry wirings list', 'svcctl registry wirings list --group dev-agent --json']

  static override flags = { group: groupFlag }

  async run(): Promise<Wired[]> {
    const { flags } = await this.parse(WiringsList)
    const client = await this.connect(flags)
    const agentGroupID = await this.optionalID('group', flags.group)
    return await this.list({
      watch: flags.watch,
      read: () => readAllPages((cursor) => client.wirings.list({ cursor, agentGroupID })),
      columns: () => columns,
      empty: 'No wirings. Request one: svcctl registry wirings add slack C012345 --group GROUP',
    })
  }
}
