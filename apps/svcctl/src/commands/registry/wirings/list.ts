// svcctl registry wirings list
import { Wired } from '@gatehouse/contracts'
import { Flags } from '@oclif/core'
import * as v from 'valibot'
import { readAllPages } from '../../../connection/pages.ts'
import { type Column, table } from '../../../output/table.ts'
import { UnitCommand } from '../../../unit-command.ts'

const columns: readonly Column<Wired>[] = [
  { name: 'CHANNEL', value: (wiring) => wiring.channel },
  { name: 'ADDRESS', value: (wiring) => wiring.address, flexible: true },
  { name: 'GROUP', value: (wiring) => wiring.agentGroupID },
  { name: 'ENGAGE', value: ({ engage, pattern }) => (pattern === undefined ? engage : `${engage} ${pattern}`), flexible: true },
  { name: 'SESSION', value: (wiring) => wiring.session },
]

export class WiringsList extends UnitCommand<Wired[]> {
  static override summary = 'List which address of a channel leads to which group.'
  static override description = 'Into a pipe: tab-separated, without a header.'
  static override result = v.array(Wired)
  static override examples = ['svcctl registry wirings list', 'svcctl registry wirings list --group dev-agent --json']

  static override flags = { group: Flags.string({ summary: 'Agent group.', helpValue: 'ID' }) }

  async run(): Promise<Wired[]> {
    const { flags } = await this.parse(WiringsList)
    const client = await this.connect(flags)
    const wirings = await readAllPages((cursor) => client.wirings.list({ cursor, agentGroupID: flags.group }))
    this.print(table(columns, wirings, process.stdout))
    if (wirings.length === 0) this.remark('Nothing is wired. Try: svcctl registry wirings add slack C012345 --group GROUP')
    return wirings
  }
}
